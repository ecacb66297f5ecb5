import { invalidLinkPage } from '../../../http/pages/invalid-link-page.ts'
import { renderPage } from '../../../http/pages/layout.ts'
import { page } from '../../../http/pages/page.ts'
import { html } from '../../../platform/encoding/html.ts'
import { readUnsubscribeKey, saveUnsubscription } from '../unsubscribe.ts'

/** Opening the link shows a button, since scanners of mail open links; the button ends the mails. */
const askToUnsubscribe = page({
  route: 'GET /accounts/unsubscribe/{key}',
  who: 'anyone here',
  handle({ realm, secret }, { key }) {
    const unsubscriber = readUnsubscribeKey(secret, realm.id, key)
    if (unsubscriber === null) return invalidLinkPage(realm.name)
    return renderPage({
      heading: 'No more invitations?',
      organization: realm.name,
      content: html`<p>${realm.name} will send no invitations to <b>${unsubscriber.recipientKey}</b> any more.</p>
<form method="post"><button>Send me no more</button></form>
`,
    })
  },
})

/** What mail programs send, too, when their own button is pressed (RFC 8058). */
const unsubscribe = page({
  route: 'POST /accounts/unsubscribe/{key}',
  who: 'anyone here',
  async handle({ realm, secret, transaction }, { key }) {
    const unsubscriber = readUnsubscribeKey(secret, realm.id, key)
    if (unsubscriber === null) return invalidLinkPage(realm.name)
    await transaction((tx) => saveUnsubscription(tx, unsubscriber))
    const content = html`<p>${realm.name} sends no invitations to <b>${unsubscriber.recipientKey}</b> any more.</p>\n`
    return renderPage({ heading: 'You get no more invitations', organization: realm.name, content })
  },
})

export const unsubscribePages = [askToUnsubscribe, unsubscribe]
