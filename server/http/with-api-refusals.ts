import { Refusal } from '#lib/errors/refusal.ts'
import { authMethodOf, type CallerServices } from './auth/caller.ts'
import { logRefusal } from './auth/log-refusal.ts'
import { NO_STORE, toRefusalOrLogin } from './refusal-response.ts'
import type { HttpRequest, HttpResponse, ResponseHeaders } from './wire/http-types.ts'

/** Responds to a request outside the API, with refusals in the envelope of the API. */
export async function withApiRefusals(
  services: CallerServices,
  request: HttpRequest,
  respond: (headers: ResponseHeaders) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const headers: ResponseHeaders = { ...NO_STORE }
  try {
    return await respond(headers)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    await logRefusal(services, request, error)
    return toRefusalOrLogin(request, error, headers, authMethodOf(request))
  }
}
