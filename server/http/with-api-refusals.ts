import { Refusal } from '../platform/errors/refusal.ts'
import { authMethodOf } from './caller.ts'
import { NO_STORE, toRefusalOrLogin } from './refusal-response.ts'
import type { HttpRequest, HttpResponse, ResponseHeaders } from './wire/http-types.ts'

/** Answers for a page outside the API, whose refusals look like those of the API. */
export async function withApiRefusals(
  exchange: Pick<HttpRequest, 'path' | 'headers'>,
  answer: (headers: ResponseHeaders) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const headers: ResponseHeaders = { ...NO_STORE }
  try {
    return await answer(headers)
  } catch (error) {
    if (error instanceof Refusal) return toRefusalOrLogin(exchange, error, headers, authMethodOf(exchange))
    throw error
  }
}
