import { html } from '../../platform/encoding/html.ts'
import type { Refusal } from '../../platform/errors/refusal.ts'
import { csrfFailed } from '../refusals.ts'
import type { HttpResponse } from '../wire/http-types.ts'
import { renderPage } from './layout.ts'

/** What a page is answered that is refused; pages with a form show what is wrong with it beside the fields instead. */
export function refusalPage({ kind, message, extras }: Refusal): HttpResponse {
  const isForged = kind === csrfFailed
  const retryAfter = extras['retry-after']
  return renderPage({
    status: kind.status,
    heading: isForged ? 'This form is out of date' : 'This did not work',
    content: isForged
      ? html`<p>Nothing was done. Go back, load the page again, and send the form once more.</p>`
      : html`<p>${message}</p>`,
    headers: retryAfter === undefined ? {} : { 'retry-after': String(Math.ceil(Number(retryAfter))) },
  })
}
