import { invalidLinkPage, renderPage } from '#http/page-html.ts'
import { page } from '#http/pages.ts'
import { html } from '#lib/html.ts'
import { bold, rich, t } from '#lib/text.ts'
import { readUnsubscribeKey, saveUnsubscription } from '#mail/outbox.ts'

// The pages on which recipients without an account turn off invitations from an organization. Opening the link
// changes nothing, because email scanners open links; only the button does.

/** Opening the link only shows a button, because email scanners open links. The button unsubscribes. */
const askToUnsubscribe = page({
  route: 'GET /accounts/unsubscribe/{key}',
  who: 'anyone here',
  handle({ realm, secret }, { key }) {
    const unsubscription = readUnsubscribeKey(secret, realm.id, key)
    if (unsubscription === null) return invalidLinkPage(realm)
    return renderPage({
      heading: t('Unsubscribe from invitations?'),
      organization: realm,
      content: html`<p>${rich('{realm} will no longer send invitations to <b>{address}</b>.', { realm: realm.name, address: unsubscription.recipientKey, b: bold })}</p>
<form method="post"><button>${t('Unsubscribe')}</button></form>
`,
    })
  },
})

/** Email clients send this request as well, for their own unsubscribe button (RFC 8058). */
const unsubscribe = page({
  route: 'POST /accounts/unsubscribe/{key}',
  who: 'anyone here',
  async handle({ realm, secret, transaction }, { key }) {
    const unsubscription = readUnsubscribeKey(secret, realm.id, key)
    if (unsubscription === null) return invalidLinkPage(realm)
    await transaction((tx) => saveUnsubscription(tx, unsubscription))
    const content = html`<p>${rich('{realm} will no longer send invitations to <b>{address}</b>.', { realm: realm.name, address: unsubscription.recipientKey, b: bold })}</p>\n`
    return renderPage({ heading: t('You have unsubscribed'), organization: realm, content })
  },
})

export const unsubscribePages = [askToUnsubscribe, unsubscribe]
