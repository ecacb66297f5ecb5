import type { Services } from '#http/endpoint.ts'
import { expiredLinkPage, invalidLinkPage, renderPage } from '#http/page-html.ts'
import { page } from '#http/pages.ts'
import { catchRefusal } from '#http/refusals.ts'
import { Refusal } from '#lib/errors.ts'
import { html } from '#lib/html.ts'
import { bold, linkTo, rich, t } from '#lib/text.ts'
import { findNotifiableActor } from '#messages/notifiable-users.ts'
import { digestLink, missedMailLink } from '#notifications/unsubscribe-link.ts'
import { findUser, hasChangedEmailSince } from '#people/user-queries.ts'
import type { Actor, User } from '#people/users.ts'
import type { Realm } from '#realms/realm.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { confirmEmailChange, undoEmailChange } from '../change-email.ts'
import { changeUserSettings, disableMissedMessageMail, type PresenceBoards } from '../change-user-settings.ts'
import {
  changeRequestedAt,
  type EmailChange,
  type EmailChangeRequest,
  findEmailChangeRequest,
  findUndoableEmailChange,
  isEmailChangeKey,
  readEmailChange,
} from '../email-change-requests.ts'

/**
 * The page shows a button that confirms the change. The link alone does not confirm it, because email scanners open
 * links.
 */
export const showEmailChange = page({
  route: 'GET /accounts/confirm_new_email/{key}',
  who: 'anyone here',
  async handle(call, { key }) {
    const { db, realm } = call
    const found = await findChange(db, call, realm, key)
    if (found === null) return invalidChangePage(realm)
    return renderPage({
      heading: t('Confirm your new email address'),
      organization: realm,
      content: html`<p>${rich('Change the email address of your account at {realm} to <b>{newEmail}</b>?', { realm: realm.name, newEmail: found.change.newEmail, b: bold })}</p>
<form method="post"><button>${t('Confirm')}</button></form>
`,
    })
  },
})

export const submitEmailChange = page({
  route: 'POST /accounts/confirm_new_email/{key}',
  who: 'anyone here',
  async handle(call, { key }) {
    const { realm, transaction } = call
    const found = await catchRefusal(() =>
      transaction(async (tx) => {
        const found = await findChange(tx.db, call, realm, key)
        if (found === null) return null
        return (await confirmEmailChange(tx, realm, found.account, found.change)) ? found : null
      }),
    )
    if (found === null) return invalidChangePage(realm)
    if (found instanceof Refusal) {
      const content = html`<p>${found.message}</p>\n`
      return renderPage({ status: 400, heading: t('Your email address was not changed'), organization: realm, content })
    }
    const { change, account } = found
    const content = html`<p>${rich('From now on, log in with <b>{newEmail}</b>.', { newEmail: change.newEmail, b: bold })}</p>
${account.deliveryEmail === '' && html`<p>${t('We have emailed you a link to choose a password.')}</p>\n`}`
    return renderPage({ heading: t('Your email address was changed'), organization: realm, content })
  },
})

/** The page shows a button that undoes the change, for the same reason as in `showEmailChange`. */
export const showEmailUndo = page({
  route: 'GET /accounts/undo_new_email/{key}',
  who: 'anyone here',
  async handle(call, { key }) {
    const { db, realm } = call
    const found = await findUndo(db, call, realm, key)
    if (found === null) return invalidUndoPage(realm)
    const { oldEmail, newEmail, confirmedAt } = found.request
    return renderPage({
      heading: t('Keep your old email address'),
      organization: realm,
      content: html`<p>${rich('Your account at {realm} will keep the address <b>{oldEmail}</b> instead of <b>{newEmail}</b>.', { realm: realm.name, oldEmail, newEmail, b: bold })}</p>
${confirmedAt !== null && html`<p>${t('You will be logged out everywhere, your API keys and those of your bots will stop working, and we will email you how to sign in again.')}</p>\n`}<form method="post"><button>${t('Keep the old address')}</button></form>
`,
    })
  },
})

export const submitEmailUndo = page({
  route: 'POST /accounts/undo_new_email/{key}',
  who: 'anyone here',
  async handle(call, { key }) {
    const { realm, transaction } = call
    const undone = await catchRefusal(() =>
      transaction(async (tx) => {
        const found = await findUndo(tx.db, call, realm, key)
        if (found === null) return null
        const outcome = await undoEmailChange(tx, realm, found.account, found.request)
        return outcome === null ? null : { outcome, oldEmail: found.request.oldEmail }
      }),
    )
    if (undone === null) return invalidUndoPage(realm)
    if (undone instanceof Refusal) {
      const content = html`<p>${undone.message}</p>\n`
      return renderPage({ status: 400, heading: t('Your email address was not changed'), organization: realm, content })
    }
    const content =
      undone.outcome === 'cancelled'
        ? html`<p>${rich('Your email address is still <b>{oldEmail}</b>. The link that was sent to the other address no longer works.', { oldEmail: undone.oldEmail, b: bold })}</p>\n`
        : html`<p>${rich('Your email address is <b>{oldEmail}</b> again. Someone else may have used your account, so we logged you out everywhere and emailed you how to sign in again.', { oldEmail: undone.oldEmail, b: bold })}</p>\n`
    return renderPage({ heading: t('Your email address stays the same'), organization: realm, content })
  },
})

/** Returns the request that the key undoes, if it belongs to this organization. */
async function findUndo(
  db: Db,
  { clock, secret }: Pick<Services, 'clock' | 'secret'>,
  realm: Realm,
  key: string,
): Promise<{ request: EmailChangeRequest; account: User } | null> {
  const request = await findUndoableEmailChange(db, secret, key, clock.now())
  const account = request === null ? null : await findUser(db, request.userId)
  return request === null || account === null || account.realmId !== realm.id ? null : { request, account }
}

const invalidUndoPage = (realm: Realm) =>
  expiredLinkPage(
    html`<p>${t('It was already used, or it is more than 72 hours old. Ask an owner of the organization to change your email address.')}</p>\n`,
    realm,
  )

async function isPending(db: Db, requestId: number): Promise<boolean> {
  const request = await findEmailChangeRequest(db, requestId)
  return request !== null && request.confirmedAt === null && request.cancelledAt === null
}

/** Returns the change that the key confirms, if its account is in this organization and can still use the key. */
async function findChange(
  db: Db,
  { clock, secret }: Pick<Services, 'clock' | 'secret'>,
  realm: Realm,
  key: string,
): Promise<{ change: EmailChange; account: User } | null> {
  const change = readEmailChange(key)
  const account = change === null ? null : await findUser(db, change.userId)
  if (change === null || account === null) return null
  if (account.realmId !== realm.id || account.deactivatedAt !== null) return null
  if (!isEmailChangeKey(secret, key, change, account.deliveryEmail) || change.expiresAt < clock.now()) return null
  if (await hasChangedEmailSince(db, account.id, changeRequestedAt(change))) return null
  if (change.requestId !== undefined && !(await isPending(db, change.requestId))) return null
  return { change, account }
}

const invalidChangePage = (realm: Realm) =>
  expiredLinkPage(
    html`<p>${t('It was already used, or it is more than a day old. To get a new link, change your email address in your settings again.')}</p>\n`,
    realm,
  )

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
