import { Refusal } from '../../platform/errors/refusal.ts'
import { apiHeaders } from '../api-headers.ts'
import { readApiPath } from '../api-path.ts'
import { toRefusalResponse } from '../refusal-response.ts'
import type { HttpRequest, HttpResponse } from '../wire/http-types.ts'
import { type CallerServices, requireCredentials } from './caller.ts'

/**
 * Refuses an API request without valid credentials before its long body is read; returns null for all others. This does
 * not count toward the sender's limits, because the credentials are checked again when the request has arrived.
 */
export function checkSender(services: CallerServices): (head: HttpRequest) => Promise<HttpResponse | null> {
  return async (head) => {
    const apiPath = readApiPath(head.path)
    if (apiPath === null) return null
    const headers = apiHeaders(apiPath.authMethod)
    try {
      await requireCredentials(services, head, headers, apiPath.authMethod)
      return null
    } catch (error) {
      if (error instanceof Refusal) return toRefusalResponse(error, headers, apiPath.authMethod)
      throw error
    }
  }
}
