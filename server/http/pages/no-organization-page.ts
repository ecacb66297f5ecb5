import { html } from '#lib/encoding/html.ts'
import { t } from '#lib/text/t.ts'
import { findRealm, hasOrganization } from '#realms/queries.ts'
import { type Realm, realmAddress, subdomainOf } from '#realms/realm.ts'
import { findRedirect } from '#realms/redirects.ts'
import type { Services } from '../endpoint.ts'
import type { HttpRequest, HttpResponse } from '../wire/http-types.ts'
import { redirect, renderPage } from './layout.ts'
import { addressWithQuery } from './local-path.ts'

/**
 * Returns the response at a host without an organization: a redirect if an organization was renamed, otherwise a page.
 * If there is no organization at all, the page explains how to create one.
 */
export async function noOrganizationPage(
  { db, settings }: Pick<Services, 'db' | 'settings'>,
  request: Pick<HttpRequest, 'host' | 'method' | 'path' | 'query'>,
): Promise<HttpResponse> {
  const { EXTERNAL_URL, REALM_HOSTS } = settings
  const renamedId = await findRedirect(db, subdomainOf(request.host, EXTERNAL_URL, REALM_HOSTS))
  const renamed = renamedId === null ? null : await findRealm(db, renamedId)
  if (renamed !== null) {
    const { url } = realmAddress(renamed.subdomain, EXTERNAL_URL)
    return redirect(url + (request.method === 'POST' ? '/' : addressWithQuery(request)))
  }
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
export function deactivatedPage(realm: Realm): HttpResponse {
  return renderPage({
    status: 403,
    heading: t('This organization is deactivated'),
    organization: realm,
    content: html`<p>${t('{name} has been deactivated, so you cannot log in.', { name: realm.name })}</p>\n`,
  })
}
