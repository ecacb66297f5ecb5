import { html } from '../../platform/encoding/html.ts'
import type { HttpResponse } from '../wire/http-types.ts'
import { renderPage } from './layout.ts'

/** Where a link out of a mail says nothing that this server wrote. */
export const invalidLinkPage = (organization: string): HttpResponse =>
  renderPage({
    status: 404,
    heading: 'This link is not valid',
    organization,
    content: html`<p>Open it from the mail once more; it may have been cut off.</p>\n`,
  })
