import { html } from '#lib/encoding/html.ts'
import { t } from '#lib/text/t.ts'
import type { Realm } from '#realms/realm.ts'
import type { HttpResponse } from '../wire/http-types.ts'
import { renderPage } from './layout.ts'

/** Returns the page for a link that this server did not create. */
export const invalidLinkPage = (organization: Realm): HttpResponse =>
  renderPage({
    status: 404,
    heading: t('This link is not valid'),
    organization,
    content: html`<p>${t('It may have been cut off. Open it again from the email.')}</p>\n`,
  })
