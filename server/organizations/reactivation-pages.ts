import { expiredLinkPage, renderPage } from '#http/page-html.ts'
import { type PageCall, page } from '#http/pages.ts'
import { html } from '#lib/html.ts'
import { t } from '#lib/text.ts'
import { findReactivation, reactivateByKey } from './deactivation.ts'

// The pages behind the link that owners of a deactivated organization get by email. Only the button reactivates it,
// because email scanners open links.

const showReactivation = page({
  route: 'GET /reactivate/{key}/',
  who: 'anyone',
  async handle(call, { key }) {
    const { db, realm, secret, clock } = call
    if (realm === null || (await findReactivation(db, secret, realm, key, clock.now())) === null)
      return invalidReactivationPage(call)
    return renderPage({
      heading: t('Reactivate {realm}?', { realm: realm.name }),
      organization: realm,
      content: html`<p>${t('Everyone can sign in again, with the same accounts, channels and messages. Bots and integrations work again.')}</p>
<form method="post"><button>${t('Reactivate the organization')}</button></form>
`,
    })
  },
})

const submitReactivation = page({
  route: 'POST /reactivate/{key}/',
  who: 'anyone',
  async handle(call, { key }) {
    const { realm, secret, transaction } = call
    const isDone = realm !== null && (await transaction((tx) => reactivateByKey(tx, secret, realm, key)))
    if (!isDone) return invalidReactivationPage(call)
    return renderPage({
      heading: t('{realm} is active again', { realm: realm.name }),
      organization: realm,
      content: html`<p>${t('Everyone can sign in again.')}</p>
<p><a class="button" href="/login/">${t('Sign in')}</a></p>
`,
    })
  },
})

export const reactivationPages = [showReactivation, submitReactivation]

const invalidReactivationPage = ({ realm }: PageCall) =>
  realm?.deactivatedAt === null
    ? expiredLinkPage(
        html`<p>${t('The organization is active.')}</p>
<p><a class="button" href="/login/">${t('Sign in')}</a></p>
`,
        realm,
      )
    : expiredLinkPage(
        html`<p>${t('It may have been cut off, or it is more than 30 days old. The operator of the server can reactivate the organization.')}</p>\n`,
        realm ?? undefined,
      )
