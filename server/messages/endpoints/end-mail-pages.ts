import { invalidLinkPage } from '../../http/pages/invalid-link-page.ts'
import { renderPage } from '../../http/pages/layout.ts'
import { page } from '../../http/pages/page.ts'
import { disableMissedMessageMail } from '../../people/accounts/disable-missed-message-mail.ts'
import { html } from '../../platform/encoding/html.ts'
import { findNotifiableActor } from '../missed/notifiable-user.ts'
import { readUnsubscribeKey } from '../missed/unsubscribe-key.ts'

/** Opening the link shows a button, since scanners of mail open links; the button ends the mails. */
const askToEndMail = page({
  route: 'GET /accounts/end_mail/{key}',
  who: 'anyone here',
  async handle({ db, realm, secret }, { key }) {
    const account = await findNotifiableActor(db, readUnsubscribeKey(secret, realm.id, key) ?? 0)
    if (account === null) return invalidLinkPage(realm.name)
    return renderPage({
      heading: 'No more mail about missed messages?',
      organization: realm.name,
      content: html`<p>${realm.name} will send no mail about messages that you missed any more.</p>
<form method="post"><button>Send me no more</button></form>
`,
    })
  },
})

/** What mail programs send, too, when their own button is pressed (RFC 8058). */
const endMail = page({
  route: 'POST /accounts/end_mail/{key}',
  who: 'anyone here',
  async handle({ realm, secret, transaction, presence }, { key }) {
    const userId = readUnsubscribeKey(secret, realm.id, key)
    if (userId === null) return invalidLinkPage(realm.name)
    const board = await presence.forRealm(realm.id)
    const isEnded = await transaction(async (tx) => {
      const account = await findNotifiableActor(tx.db, userId)
      if (account !== null) await disableMissedMessageMail(tx, account, { presence, board })
      return account !== null
    })
    if (!isEnded) return invalidLinkPage(realm.name)
    const content = html`<p>${realm.name} sends no mail about messages that you missed any more.</p>
<p>If you want it again, turn it on in <a href="/settings/notifications">your settings</a>.</p>
`
    return renderPage({ heading: 'You get no more mail about missed messages', organization: realm.name, content })
  },
})

export const endMailPages = [askToEndMail, endMail]
