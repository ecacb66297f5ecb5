import { Refusal } from '../platform/errors/refusal.ts'
import { apiHeaders } from './api-headers.ts'
import { readApiPath } from './api-path.ts'
import { type CallerServices, requireCredentials } from './caller.ts'
import { toRefusalResponse } from './refusal-response.ts'
import type { HttpRequest, HttpResponse } from './wire/http-types.ts'

/**
 * Refuses a call of the API whose credentials are not good, before its long body is read; null for all others. Such a call
 * does not count in the limits of its sender: it is asked for its credentials once more when it has arrived.
 */
export function checkSender(services: CallerServices): (head: HttpRequest) => Promise<HttpResponse | null> {
  return async (head) => {
    const called = readApiPath(head.path)
    if (called === null) return null
    const headers = apiHeaders(called.proof)
    try {
      await requireCredentials(services, head, headers, called.proof)
      return null
    } catch (error) {
      if (error instanceof Refusal) return toRefusalResponse(error, headers, called.proof)
      throw error
    }
  }
}
