import type { HttpResponse } from '../wire/http-types.ts'

/** What a mail program would let a mail do: set itself, and nothing else. Only pages of ours may frame it. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox"

/** Shows HTML that is no page of ours, such as that of a mail, as it is: it runs nothing, loads nothing, and has no origin. */
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
