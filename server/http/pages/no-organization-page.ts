import { hasOrganization } from '../../organizations/realms/queries.ts'
import type { Realm } from '../../organizations/realms/realm.ts'
import { html } from '../../platform/encoding/html.ts'
import type { Db } from '../../platform/storage/storage.ts'
import type { HttpResponse } from '../wire/http-types.ts'
import { renderPage } from './layout.ts'

/** What stands at a host that is no organization's: how to make one, while there is none at all. */
export async function noOrganizationPage(db: Db): Promise<HttpResponse> {
  if (await hasOrganization(db))
    return renderPage({
      status: 404,
      heading: 'There is no organization here',
      content: html`<p>The address may be mistyped. Ask whoever sent you here for the right one.</p>\n`,
    })
  return renderPage({
    status: 404,
    heading: 'There is no organization here yet',
    content: html`<p>If you run this server, open the set-up link that it printed when it was started, or print another:</p>
<pre><code>npm run -s parley -- setup-link</code></pre>
<p>If somebody sent you here, ask them whether the address is right.</p>
`,
  })
}

/** What stands where an organization was deactivated. */
export function deactivatedPage({ name }: Realm): HttpResponse {
  return renderPage({
    status: 403,
    heading: 'This organization is closed',
    organization: name,
    content: html`<p>${name} has been deactivated. Nobody can log in any more.</p>\n`,
  })
}
