import { type AuthMethod, readApiPath } from './api-path.ts'
import { NO_STORE } from './refusal-response.ts'
import type { ResponseHeaders } from './wire/http-types.ts'

const crossOrigin = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'Authorization',
  'access-control-allow-methods': 'GET, POST, DELETE, PUT, PATCH, HEAD',
}

const byAuthMethod: Record<AuthMethod, ResponseHeaders> = { key: { ...NO_STORE, ...crossOrigin }, session: NO_STORE }

/** Returns the headers of every response of the API for this authentication method. */
export const apiHeaders = (authMethod: AuthMethod): ResponseHeaders => ({ ...byAuthMethod[authMethod] })

/** Returns the headers of every response for this path, including refusals sent before the request has been read. */
export function headersForPath(path: string): ResponseHeaders {
  const apiPath = readApiPath(path)
  return apiPath === null ? {} : apiHeaders(apiPath.authMethod)
}
