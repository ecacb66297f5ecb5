import { deleteIdentitiesOfUser } from '#identity/external-identities.ts'
import { endInvitationsToAddress } from '#invitations/manage-invitations.ts'
import { refusal } from '#lib/errors.ts'
import { trimWhitespace } from '#lib/text.ts'
import { queueMail } from '#mail/outbox.ts'
import { deleteReplyAddresses } from '#notifications/reply-addresses.ts'
import { mustBeOwner, userDeactivated } from '#people/access.ts'
import { deleteAllApiKeys } from '#people/api-keys.ts'
import { recordAudit } from '#people/audit.ts'
import { isSystemBotAddress } from '#people/bots.ts'
import { findAccountIdsOfPerson } from '#people/creation-limits.ts'
import { findEmailProblem, findJoiningRules } from '#people/email-addresses.ts'
import { deleteSecondFactors } from '#people/second-factors.ts'
import { deleteSessionsOf } from '#people/sessions.ts'
import {
  findUsersByDeliveryEmail,
  lockEmailAddresses,
  replaceUserEmail,
  saveUserEmail,
  saveUserFields,
} from '#people/user-queries.ts'
import { type Actor, isBot, type User } from '#people/users.ts'
import type { Realm } from '#realms/realm.ts'
import type { Transaction } from '#storage/storage.ts'
import { onlyOwnersChangeEmails, ownEmailInSettings, requireMayChangeEmailOf } from './access.ts'
import {
  CONFIRM_EMAIL_TEMPLATE,
  DEMO_ENDS_TEMPLATE,
  EMAIL_CHANGE_NOTICE_TEMPLATE,
  EMAIL_CHANGED_TEMPLATE,
  OWN_EMAIL_CHANGE_NOTICE_TEMPLATE,
} from './account-emails.ts'
import {
  cancelEmailChangesSince,
  cancelPendingEmailChanges,
  changeRequestedAt,
  EMAIL_CHANGE_VALIDITY,
  type EmailChange,
  type EmailChangeRequest,
  isReservedEmail,
  saveEmailChangeConfirmation,
  saveEmailChangeRequest,
} from './email-change-requests.ts'
import { requestPasswordReset } from './reset-password.ts'
import { emitAddressChange } from './user-events.ts'

// Changes of the email addresses of accounts. A person's address changes only after its owner confirmed it, and the
// owner of the old address can undo a change that another user requested. Links are valid once and become invalid
// with the next change.

export const emailTaken = refusal('BAD_REQUEST', 400, 'Email is already in use.', { field: 'email' })
export const emailNotAllowed = refusal('BAD_REQUEST', 400, '{problem}', { field: 'email' })

export const emailRefusals = [emailTaken, emailNotAllowed]

/**
 * Returns the address without surrounding white space. Refuses it if no account of the organization may use it, or if
 * another account has it or can still get it back. `owner` is the account that will get the address; null for a new
 * account. An account may keep its own address or change its case. The address stays reserved until the transaction
 * ends.
 */
export async function requireAvailableEmail(
  tx: Transaction,
  realm: Realm,
  given: string,
  owner: User | null = null,
): Promise<string> {
  const email = trimWhitespace(given)
  const problem = findEmailProblem(await findJoiningRules(tx.db, realm), email)
  if (problem !== null) throw emailNotAllowed({ problem })
  await lockEmailAddresses(tx, realm.id)
  // Bypasses the cache, because another transaction may have committed while this one waited for the lock.
  const accounts = await findUsersByDeliveryEmail(tx.db, realm.id, [email])
  if (isSystemBotAddress(email) || accounts.some((account) => account.id !== owner?.id)) throw emailTaken()
  if (await isReservedEmail(tx, realm.id, email, owner?.id ?? null)) throw emailTaken()
  return email
}

export const emailChangeRefusals = [mustBeOwner, onlyOwnersChangeEmails, ownEmailInSettings, userDeactivated]

/**
 * Changes the address of an account for an administrator. A bot's address changes at once. A person's address changes
 * when the new address is confirmed, and the owner of the old address can undo the change.
 */
export async function changeEmailOfOther(tx: Transaction, actor: Actor, user: User, given: string): Promise<void> {
  if (given.trim() === user.deliveryEmail) return
  const { realm } = actor
  requireMayChangeEmailOf(tx.db, actor, user)
  if (isBot(user)) return changeEmail(tx, realm, user, given)
  await requestEmailChangeOf(tx, realm, user, given, actor.id)
}

/**
 * Emails a confirmation link to the new address and an undo link to the old one. Earlier password reset links stop
 * working. New ones do not work until the change is confirmed or undone, or 72 hours have passed.
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
  await recordEmailChange(tx, user, 'email_change_requested', newEmail)
  const requestId = await saveEmailChangeRequest(tx, user, { requesterId, newEmail })
  const data: EmailChange = { userId: user.id, newEmail, expiresAt: tx.now + EMAIL_CHANGE_VALIDITY, requestId }
  await queueMail(tx, { realmId: realm.id, recipient: newEmail, letter: CONFIRM_EMAIL_TEMPLATE, data })
  const notice = { realmId: realm.id, recipient: user.deliveryEmail, letter: EMAIL_CHANGE_NOTICE_TEMPLATE }
  await queueMail(tx, { ...notice, data: { requestId } })
}

/** Changes the real address of the account at once. */
async function changeEmail(tx: Transaction, realm: Realm, user: User, given: string): Promise<void> {
  const deliveryEmail = await requireAvailableEmail(tx, realm, given, user)
  await recordEmailChange(tx, user, 'email_changed', deliveryEmail)
  await saveUserEmail(tx, user.id, deliveryEmail)
  await finishAddressChange(tx, realm, user, deliveryEmail)
}

/**
 * Emails a confirmation link to the new address and a notice to the current one. Nothing changes until the link is
 * used.
 */
export async function requestEmailChange(tx: Transaction, realm: Realm, user: User, given: string): Promise<void> {
  if (given.trim() === user.deliveryEmail) return
  const newEmail = await requireAvailableEmail(tx, realm, given, user)
  await recordEmailChange(tx, user, 'email_change_requested', newEmail)
  const data: EmailChange = { userId: user.id, newEmail, expiresAt: tx.now + EMAIL_CHANGE_VALIDITY }
  await queueMail(tx, { realmId: realm.id, recipient: newEmail, letter: CONFIRM_EMAIL_TEMPLATE, data })
  const notice = { realmId: realm.id, recipient: user.deliveryEmail, letter: OWN_EMAIL_CHANGE_NOTICE_TEMPLATE }
  await queueMail(tx, { ...notice, data: { userId: user.id, newEmail } })
}

/**
 * Sets the confirmed address and emails a notice to the previous one. If several changes were requested while the
 * account had one address, only the first confirmed change takes effect. For the others, this returns false and changes
 * nothing.
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
  await recordEmailChange(tx, user, 'email_changed', newEmail)
  await finishAddressChange(tx, realm, user, newEmail)
  const data = { userId: user.id, newEmail }
  await queueMail(tx, { realmId: realm.id, recipient: user.deliveryEmail, letter: EMAIL_CHANGED_TEMPLATE, data })
  if (user.deliveryEmail === '') await welcomeOwnerOfDemo(tx, realm, user, newEmail)
  return true
}

/**
 * Undoes a change that another user requested, and all later changes. If the change was confirmed, an attacker may have
 * access to the account. In this case, the old address is restored, a password reset link is emailed, and the password,
 * the second factors, the connected accounts of other services, the sessions, and the API keys of the user and their
 * bots are deleted. Returns `cancelled` if the change had not
 * taken effect, and `restored` if the old address was restored. Returns null and changes nothing if the request was
 * already undone.
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
  await recordAudit(tx, realm.id, 'email_change_undone', { targetId: user.id })
  if (cancelled.confirmedAt === null) return 'cancelled'
  const { oldEmail } = request
  const accounts = await findUsersByDeliveryEmail(tx.db, realm.id, [oldEmail])
  if (accounts.some((account) => account.id !== user.id)) throw emailTaken()
  await saveUserEmail(tx, user.id, oldEmail)
  await finishAddressChange(tx, realm, user, oldEmail)
  await saveUserFields(tx, user.id, { passwordHash: null })
  await deleteSecondFactors(tx, user.id)
  await deleteIdentitiesOfUser(tx, user.id)
  await deleteSessionsOf(tx, user.id)
  for (const id of await findAccountIdsOfPerson(tx.db, user)) await deleteAllApiKeys(tx, id)
  await requestPasswordReset(tx, realm, oldEmail)
  return 'restored'
}

const recordEmailChange = (
  tx: Transaction,
  { id, realmId, deliveryEmail }: User,
  kind: 'email_change_requested' | 'email_changed',
  newEmail: string,
): Promise<void> => recordAudit(tx, realmId, kind, { targetId: id, from: deliveryEmail, to: newEmail })

/** Seconds before the end of a demo organization at which its owner is reminded. */
const DEMO_NOTICE = 3 * 86_400

/** Emails an owner who has just added an address a link to choose a password, and a reminder before the demo ends. */
async function welcomeOwnerOfDemo(tx: Transaction, realm: Realm, { id }: User, email: string): Promise<void> {
  await requestPasswordReset(tx, realm, email)
  if (realm.demoEndsAt === null) return
  const mail = { realmId: realm.id, recipient: email, letter: DEMO_ENDS_TEMPLATE, data: { userId: id } }
  await queueMail(tx, { ...mail, dueAt: Math.max(tx.now, realm.demoEndsAt - DEMO_NOTICE) })
}

/**
 * Emits the new address, cancels pending changes, ends invitations to the new address, and deletes the addresses for
 * replies, which are in the emails to the old one.
 */
async function finishAddressChange(tx: Transaction, realm: Realm, user: User, deliveryEmail: string): Promise<void> {
  await cancelPendingEmailChanges(tx, user.id)
  await deleteReplyAddresses(tx, user.id)
  await emitAddressChange(tx, realm, user, { ...user, deliveryEmail })
  await endInvitationsToAddress(tx, realm.id, deliveryEmail, 'registered')
}
