import type { Settings } from '#config.ts'

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
