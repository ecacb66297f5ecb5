import type { Settings } from '../config.ts'

/** A year, in seconds. Other hosts below the domain are not ours to decide on. */
const HTTPS_ONLY = 'max-age=31536000'

/**
 * What every answer says unless it says something else itself: browsers take its type as it is, show it in no frame, and,
 * where people reach the server by https, use nothing but https from then on.
 */
export function securityHeaders({ EXTERNAL_URL }: Pick<Settings, 'EXTERNAL_URL'>): Record<string, string> {
  return {
    'x-content-type-options': 'nosniff',
    'content-security-policy': "frame-ancestors 'none'",
    ...(EXTERNAL_URL.startsWith('https:') && { 'strict-transport-security': HTTPS_ONLY }),
  }
}
