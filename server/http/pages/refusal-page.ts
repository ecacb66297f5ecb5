import { html } from '../../platform/encoding/html.ts'
import type { Refusal } from '../../platform/errors/refusal.ts'
import { csrfFailed } from '../refusals.ts'
import type { HttpResponse } from '../wire/http-types.ts'
import { renderPage } from './layout.ts'

/** Returns the page for a refusal. Pages with a form show its errors beside the fields instead. */
export function refusalPage({ kind, message, extras }: Refusal): HttpResponse {
  const isForged = kind === csrfFailed
  const retryAfter = extras['retry-after']
  return renderPage({
    status: kind.status,
    heading: isForged ? 'This form has expired' : 'Something went wrong',
    content: isForged
      ? html`<p>Nothing was changed. Go back, reload the page, and submit the form again.</p>`
      : html`<p>${message}</p>`,
    headers: retryAfter === undefined ? {} : { 'retry-after': String(Math.ceil(Number(retryAfter))) },
  })
}
