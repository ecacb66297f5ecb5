import { hasOrganization } from '../../organizations/realms/queries.ts'
import type { Realm } from '../../organizations/realms/realm.ts'
import { html } from '../../platform/encoding/html.ts'
import type { Db } from '../../platform/storage/storage.ts'
import { t } from '../../platform/text/t.ts'
import type { HttpResponse } from '../wire/http-types.ts'
import { renderPage } from './layout.ts'

/** Returns the page for a host without an organization. If there is none at all, it explains how to create one. */
export async function noOrganizationPage(db: Db): Promise<HttpResponse> {
  if (await hasOrganization(db))
    return renderPage({
      status: 404,
      heading: t('No organization found'),
      content: html`<p>${t('Check the address for typos, or ask the person who sent you here.')}</p>
<p><a href="/accounts/find/">${t('Find your organizations')}</a></p>
`,
    })
  return renderPage({
    status: 404,
    heading: t('No organization yet'),
    content: html`<p>${t('If you run this server, open the setup link that it printed when it started, or print a new one:')}</p>
<pre><code>npm run -s parley -- setup-link</code></pre>
<p>${t('If someone sent you here, ask them to check the address.')}</p>
`,
  })
}

/** Returns the page of a deactivated organization. */
export function deactivatedPage({ name }: Realm): HttpResponse {
  return renderPage({
    status: 403,
    heading: t('This organization is deactivated'),
    organization: name,
    content: html`<p>${t('{name} has been deactivated, so you can’t log in.', { name })}</p>\n`,
  })
}
