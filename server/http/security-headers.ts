import type { Settings } from '#config.ts'
import { type AuthMethod, readApiPath } from './auth/api-path.ts'
import type { ResponseHeaders } from './http-types.ts'
import { NO_STORE } from './refusals.ts'

/** A year, in seconds. Subdomains are not included, because they may belong to others. */
const HTTPS_ONLY = 'max-age=31536000'

/**
 * Returns the headers of every response that does not set them itself. With them, browsers do not guess the type of a
 * response, do not show it in a frame, and neither run nor load anything for it. If the server is reached by https, they
 * use only https.
 */
export function securityHeaders({ EXTERNAL_URL }: Pick<Settings, 'EXTERNAL_URL'>): Record<string, string> {
  return {
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
    ...(EXTERNAL_URL.startsWith('https:') && { 'strict-transport-security': HTTPS_ONLY }),
  }
}

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
