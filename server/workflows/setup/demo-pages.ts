import type { HttpResponse } from '#http/http-types.ts'
import { renderPage } from '#http/page-html.ts'
import { type PageCall, page } from '#http/pages.ts'
import { proofOf } from '#http/proof-of-work.ts'
import { limitByNetwork, limitBySite, limitGlobally, type RateRule } from '#http/rate-limits.ts'
import { savePendingSignIn } from '#identity/pending-sign-ins.ts'
import { html } from '#lib/html.ts'
import { t } from '#lib/text.ts'
import { createDemoOrganization } from '#organizations/demos.ts'
import { realmAddress } from '#realms/realm.ts'
import { closedPage } from './setup-page.ts'

// The page on which visitors create a demo organization, if the operator allows it. A link that works once signs its
// owner in at the address of the organization.

/** The limits of new demo organizations per network, per site of an IPv6 network, and in total. */
const RULES_PER_NETWORK: readonly RateRule[] = [[86_400, 5]]
const RULES_PER_SITE: readonly RateRule[] = [[86_400, 15]]
const RULES_IN_TOTAL: readonly RateRule[] = [[86_400, 200]]

const showDemo = page({
  route: 'GET /new/demo/',
  who: 'anyone',
  handle(call) {
    if (!call.settings.DEMO_ORGANIZATIONS) return closedPage(call)
    const proof = proofOf(call, '/new/demo/')
    return renderPage({
      heading: t('Try a demo organization'),
      headers: proof.headers,
      content: html`<p>${t('You get an organization of your own, without an email address. After 30 days, it is deactivated, unless you add an address and make it permanent.')}</p>
<form method="post" action="/new/demo/">
${proof.field}<button>${t('Create a demo organization')}</button>
</form>
`,
    })
  },
})

const submitDemo = page({
  route: 'POST /new/demo/',
  who: 'anyone',
  needsProof: true,
  async handle(call) {
    if (!call.settings.DEMO_ORGANIZATIONS) return closedPage(call)
    await limitByNetwork(call, 'demo organizations', RULES_PER_NETWORK)
    await limitBySite(call, 'demo organizations', RULES_PER_SITE)
    await limitGlobally(call, 'demo organizations', RULES_IN_TOTAL)
    const { realm, key } = await call.transaction(async (tx) => {
      const { realm, owner } = await createDemoOrganization(tx)
      const key = await savePendingSignIn(tx, realm.id, '', { kind: 'demo', userId: owner.id })
      return { realm, key }
    })
    return readyPage(call, realm.subdomain, key)
  },
})

export const demoPages = [showDemo, submitDemo]

function readyPage({ settings }: PageCall, subdomain: string, key: string): HttpResponse {
  const { url } = realmAddress(subdomain, settings.EXTERNAL_URL)
  return renderPage({
    heading: t('Your demo organization is ready'),
    content: html`<p>${t('Its address is {url}.', { url })}</p>
<p>${t('Without an email address and a password, you can use it only in this browser. Add them in your settings.')}</p>
<p><a class="button" href="${url}/accounts/login/subdomain/${key}">${t('Open the organization')}</a></p>
`,
  })
}
