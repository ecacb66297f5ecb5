import { invalidLinkPage } from '../../http/pages/invalid-link-page.ts'
import { renderPage } from '../../http/pages/layout.ts'
import { page } from '../../http/pages/page.ts'
import { changeUserSettings } from '../../people/accounts/change-settings.ts'
import { html } from '../../platform/encoding/html.ts'
import { linkTo, rich } from '../../platform/text/rich.ts'
import { t } from '../../platform/text/t.ts'
import { readDigestUnsubscribeKey } from '../digests/unsubscribe-key.ts'
import { findNotifiableActor } from '../missed/notifiable-user.ts'

/** Opening the link only shows a button, because mail scanners open links. The button unsubscribes. */
const confirmUnsubscribePage = page({
  route: 'GET /accounts/end_digest/{key}',
  who: 'anyone here',
  async handle({ db, realm, secret }, { key }) {
    const account = await findNotifiableActor(db, readDigestUnsubscribeKey(secret, realm.id, key) ?? 0)
    if (account === null) return invalidLinkPage(realm.name)
    return renderPage({
      heading: t('Unsubscribe from weekly digests?'),
      organization: realm.name,
      content: html`<p>${t('{realm} will no longer email you what you missed.', { realm: realm.name })}</p>
<form method="post"><button>${t('Unsubscribe')}</button></form>
`,
    })
  },
})

/** Mail clients also send this request for their own unsubscribe button (RFC 8058). */
const unsubscribePage = page({
  route: 'POST /accounts/end_digest/{key}',
  who: 'anyone here',
  async handle({ realm, secret, transaction, presence }, { key }) {
    const userId = readDigestUnsubscribeKey(secret, realm.id, key)
    if (userId === null) return invalidLinkPage(realm.name)
    const board = await presence.forRealm(realm.id)
    const isEnded = await transaction(async (tx) => {
      const account = await findNotifiableActor(tx.db, userId)
      if (account !== null) await changeUserSettings(tx, account, { enable_digest_emails: false }, { presence, board })
      return account !== null
    })
    if (!isEnded) return invalidLinkPage(realm.name)
    const content = html`<p>${t('{realm} no longer emails you weekly digests.', { realm: realm.name })}</p>
<p>${rich('To get these emails again, turn them on in <a>your settings</a>.', { a: linkTo('/settings/notifications') })}</p>
`
    return renderPage({ heading: t('You have unsubscribed'), organization: realm.name, content })
  },
})

export const digestUnsubscribePages = [confirmUnsubscribePage, unsubscribePage]
