import { queueMail } from '../../delivery/mail/outbox.ts'
import { endInvitationsByAccount } from '../../invitations/manage-invitations.ts'
import type { Realm } from '../../organizations/realms/realm.ts'
import { refusal } from '../../platform/errors/refusal.ts'
import type { Transaction } from '../../platform/storage/storage.ts'
import { deleteSessionsOf } from '../sessions/queries.ts'
import { mustBeOwner, userDeactivated } from '../users/access.ts'
import { emailTaken, requireAvailableEmail } from '../users/addresses/available-email.ts'
import { changeRequestedAt, EMAIL_CHANGE_VALIDITY, type EmailChange } from '../users/addresses/email-change.ts'
import {
  cancelEmailChangesSince,
  cancelPendingEmailChanges,
  type EmailChangeRequest,
  saveEmailChangeConfirmation,
  saveEmailChangeRequest,
} from '../users/addresses/email-change-requests.ts'
import { deleteAllApiKeys } from '../users/api-keys.ts'
import { findAccountIdsOfPerson } from '../users/daily-limits.ts'
import {
  CONFIRM_EMAIL_TEMPLATE,
  EMAIL_CHANGE_NOTICE_TEMPLATE,
  EMAIL_CHANGED_TEMPLATE,
  OWN_EMAIL_CHANGE_NOTICE_TEMPLATE,
} from '../users/email-templates.ts'
import {
  findUsersByDeliveryEmail,
  lockEmailAddresses,
  replaceUserEmail,
  saveUserEmail,
  saveUserFields,
} from '../users/queries.ts'
import { isOwner } from '../users/role.ts'
import { type Actor, isBot, type User } from '../users/user.ts'
import { emitAddressChange } from './emit-address-change.ts'
import { requestPasswordReset } from './reset-password.ts'

export const onlyOwnersChangeEmails = refusal(
  'BAD_REQUEST',
  400,
  "Only organization owners can change other people's email addresses.",
)
export const ownEmailInSettings = refusal(
  'BAD_REQUEST',
  400,
  'Change your own email address in your settings, with your password.',
)

export const emailChangeRefusals = [mustBeOwner, onlyOwnersChangeEmails, ownEmailInSettings, userDeactivated]

/**
 * Changes the address of another account, as an administrator asks: a bot's at once; a person's once the new address has
 * confirmed it, and until then the old address can undo it.
 */
export async function changeEmailOfOther(tx: Transaction, actor: Actor, user: User, given: string): Promise<void> {
  if (given.trim() === user.deliveryEmail) return
  const { realm } = actor
  if (isOwner(user) && !isOwner(actor)) throw mustBeOwner()
  if (isBot(user)) return changeEmail(tx, realm, user, given)
  if (user.id === actor.id) throw ownEmailInSettings()
  if (!isOwner(actor) && !tx.db.settings.ADMINS_MAY_CHANGE_EMAIL) throw onlyOwnersChangeEmails()
  await requestEmailChangeOf(tx, realm, user, given, actor.id)
}

/**
 * Mails a link that confirms the change to the new address of a person, and one that undoes it to the old address. Password
 * resets that were asked for before no longer work; new ones do once the change is confirmed or undone, or in 72 hours.
 */
export async function requestEmailChangeOf(
  tx: Transaction,
  realm: Realm,
  user: User,
  given: string,
  requesterId: number | null,
): Promise<void> {
  if (user.deactivatedAt !== null) throw userDeactivated()
  const newEmail = await requireAvailableEmail(tx, realm, given, user)
  const requestId = await saveEmailChangeRequest(tx, user, { requesterId, newEmail })
  const data: EmailChange = { userId: user.id, newEmail, expiresAt: tx.now + EMAIL_CHANGE_VALIDITY, requestId }
  await queueMail(tx, { realmId: realm.id, recipient: newEmail, letter: CONFIRM_EMAIL_TEMPLATE, data })
  const notice = { realmId: realm.id, recipient: user.deliveryEmail, letter: EMAIL_CHANGE_NOTICE_TEMPLATE }
  await queueMail(tx, { ...notice, data: { requestId } })
}

/** Gives the account another real address at once. */
async function changeEmail(tx: Transaction, realm: Realm, user: User, given: string): Promise<void> {
  const deliveryEmail = await requireAvailableEmail(tx, realm, given, user)
  await saveUserEmail(tx, user.id, deliveryEmail)
  await takeAddress(tx, realm, user, deliveryEmail)
}

/**
 * Mails a link to the address that the account is to have, and a notice to the one that it has; nothing changes until the
 * link is followed.
 */
export async function requestEmailChange(tx: Transaction, realm: Realm, user: User, given: string): Promise<void> {
  if (given.trim() === user.deliveryEmail) return
  const newEmail = await requireAvailableEmail(tx, realm, given, user)
  const data: EmailChange = { userId: user.id, newEmail, expiresAt: tx.now + EMAIL_CHANGE_VALIDITY }
  await queueMail(tx, { realmId: realm.id, recipient: newEmail, letter: CONFIRM_EMAIL_TEMPLATE, data })
  const notice = { realmId: realm.id, recipient: user.deliveryEmail, letter: OWN_EMAIL_CHANGE_NOTICE_TEMPLATE }
  await queueMail(tx, { ...notice, data: { userId: user.id, newEmail } })
}

/**
 * Gives the account the address that was confirmed, and tells so to the one that it had. Of several changes that were
 * asked for at the same address one counts: false, with nothing done, for the others.
 */
export async function confirmEmailChange(
  tx: Transaction,
  realm: Realm,
  user: User,
  change: EmailChange,
): Promise<boolean> {
  const newEmail = await requireAvailableEmail(tx, realm, change.newEmail, user)
  if (change.requestId !== undefined && !(await saveEmailChangeConfirmation(tx, change.requestId))) return false
  if (!(await replaceUserEmail(tx, user, newEmail, changeRequestedAt(change)))) return false
  await takeAddress(tx, realm, user, newEmail)
  const data = { userId: user.id, newEmail }
  await queueMail(tx, { realmId: realm.id, recipient: user.deliveryEmail, letter: EMAIL_CHANGED_TEMPLATE, data })
  return true
}

/**
 * Undoes a change that somebody else asked for, and those that followed it. If it had been confirmed, the account gets its
 * old address back, loses its password, its sessions, and its API keys and those of its bots, which somebody else may have, and
 * is mailed a link to choose a password. Returns which of the two; null, with nothing done, when the change was undone already.
 */
export async function undoEmailChange(
  tx: Transaction,
  realm: Realm,
  user: User,
  request: EmailChangeRequest,
): Promise<'cancelled' | 'restored' | null> {
  await lockEmailAddresses(tx, realm.id)
  const cancelled = await cancelEmailChangesSince(tx, request)
  if (cancelled === undefined) return null
  if (cancelled.confirmedAt === null) return 'cancelled'
  const { oldEmail } = request
  const holders = await findUsersByDeliveryEmail(tx.db, realm.id, [oldEmail])
  if (holders.some((holder) => holder.id !== user.id)) throw emailTaken()
  await saveUserEmail(tx, user.id, oldEmail)
  await takeAddress(tx, realm, user, oldEmail)
  await saveUserFields(tx, user.id, { passwordHash: null })
  await deleteSessionsOf(tx, user.id)
  for (const id of await findAccountIdsOfPerson(tx.db, user)) await deleteAllApiKeys(tx, id)
  await requestPasswordReset(tx, realm, oldEmail)
  return 'restored'
}

/** Tells of the address that the account has now, and ends the invitations that it still has. */
async function takeAddress(tx: Transaction, realm: Realm, user: User, deliveryEmail: string): Promise<void> {
  await cancelPendingEmailChanges(tx, user.id)
  await emitAddressChange(tx, realm, user, { ...user, deliveryEmail })
  await endInvitationsByAccount(tx, realm.id, deliveryEmail, 'registered')
}
