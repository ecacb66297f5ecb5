import type { HttpResponse } from '../wire/http-types.ts'

/** Allows only inline styles, like an email program. Only pages of this server may frame it. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox"

/**
 * Returns HTML that is not a page of this server, such as an email. It runs nothing, loads nothing, and has no origin.
 */
export function isolatedPage(html: string): HttpResponse {
  return {
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'private, no-store',
      'content-security-policy': POLICY,
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
    },
    body: html,
  }
}
