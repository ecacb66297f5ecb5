import { invalidLinkPage } from '#http/pages/invalid-link-page.ts'
import { renderPage } from '#http/pages/layout.ts'
import { page } from '#http/pages/page.ts'
import { html } from '#lib/encoding/html.ts'
import { linkTo, rich } from '#lib/text/rich.ts'
import { t } from '#lib/text/t.ts'
import { findNotifiableActor } from '#messages/notices/notifiable-user.ts'
import { digestLink, missedMailLink } from '#messages/unsubscribe-link.ts'
import type { Actor } from '#people/users/user.ts'
import type { Transaction } from '#storage/storage.ts'
import { changeUserSettings, type PresenceBoards } from '../change-settings.ts'
import { disableMissedMessageMail } from '../disable-missed-message-mail.ts'

type Emails = {
  link: typeof missedMailLink | typeof digestLink
  question: string
  /** `announce` returns the sentence before the user presses the button, and `confirm` the sentence after it. */
  announce: (realm: string) => string
  confirm: (realm: string) => string
  end: (tx: Transaction, account: Actor, presence: PresenceBoards) => Promise<unknown>
}

/** Returns the pages on which users unsubscribe from one type of email without logging in. */
function unsubscribePagesFor({ link, question, announce, confirm, end }: Emails) {
  /** Shows a button that unsubscribes. Opening the link changes nothing, because email scanners open links. */
  const ask = page({
    route: `GET ${link.path}/{key}`,
    who: 'anyone here',
    async handle({ db, realm, secret }, { key }) {
      const account = await findNotifiableActor(db, link.readKey(secret, realm.id, key) ?? 0)
      if (account === null) return invalidLinkPage(realm)
      return renderPage({
        heading: question,
        organization: realm,
        content: html`<p>${announce(realm.name)}</p>
<form method="post"><button>${t('Unsubscribe')}</button></form>
`,
      })
    },
  })
  /** Unsubscribes the user. The unsubscribe buttons of email clients send this request too (RFC 8058). */
  const unsubscribe = page({
    route: `POST ${link.path}/{key}`,
    who: 'anyone here',
    async handle({ realm, secret, transaction, presence }, { key }) {
      const userId = link.readKey(secret, realm.id, key)
      if (userId === null) return invalidLinkPage(realm)
      const board = await presence.forRealm(realm.id)
      const isEnded = await transaction(async (tx) => {
        const account = await findNotifiableActor(tx.db, userId)
        if (account !== null) await end(tx, account, { presence, board })
        return account !== null
      })
      if (!isEnded) return invalidLinkPage(realm)
      const content = html`<p>${confirm(realm.name)}</p>
<p>${rich('To get these emails again, turn them on in <a>your settings</a>.', { a: linkTo('/settings/notifications') })}</p>
`
      return renderPage({ heading: t('You have unsubscribed'), organization: realm, content })
    },
  })
  return [ask, unsubscribe]
}

export const emailUnsubscribePages = [
  ...unsubscribePagesFor({
    link: missedMailLink,
    question: t('Unsubscribe from emails about missed messages?'),
    announce: (realm) => t('{realm} will no longer email you about messages that you missed.', { realm }),
    confirm: (realm) => t('{realm} no longer emails you about messages that you missed.', { realm }),
    end: disableMissedMessageMail,
  }),
  ...unsubscribePagesFor({
    link: digestLink,
    question: t('Unsubscribe from weekly digests?'),
    announce: (realm) => t('{realm} will no longer email you weekly digests.', { realm }),
    confirm: (realm) => t('{realm} no longer emails you weekly digests.', { realm }),
    end: (tx, account, presence) => changeUserSettings(tx, account, { enable_digest_emails: false }, presence),
  }),
]
