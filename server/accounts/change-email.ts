import { endInvitationsByAccount } from '../invitations/manage-invitations.ts'
import { queueMail } from '../mail/outbox.ts'
import type { Realm } from '../realms/realm.ts'
import type { Transaction } from '../storage/storage.ts'
import { askedAt, EMAIL_CHANGE_VALIDITY, type EmailChange } from '../users/addresses/email-change.ts'
import { requireFreeAddress } from '../users/addresses/free-address.ts'
import { CONFIRM_EMAIL_LETTER, EMAIL_CHANGED_LETTER } from '../users/letters.ts'
import { replaceUserEmail, saveUserEmail } from '../users/queries.ts'
import type { User } from '../users/user.ts'
import { tellOfAddress } from './address-effects.ts'

/** Gives the account another real address. */
export async function changeEmail(tx: Transaction, realm: Realm, user: User, given: string): Promise<void> {
  if (given.trim() === user.deliveryEmail) return
  const deliveryEmail = await requireFreeAddress(tx, realm, given, user)
  await saveUserEmail(tx, user.id, deliveryEmail)
  await takeAddress(tx, realm, user, deliveryEmail)
}

/** Mails a link to the address that the account is to have; nothing changes until it is followed. */
export async function requestEmailChange(tx: Transaction, realm: Realm, user: User, given: string): Promise<void> {
  if (given.trim() === user.deliveryEmail) return
  const newEmail = await requireFreeAddress(tx, realm, given, user)
  const data: EmailChange = { userId: user.id, newEmail, expiresAt: tx.now + EMAIL_CHANGE_VALIDITY }
  await queueMail(tx, { realmId: realm.id, recipient: newEmail, letter: CONFIRM_EMAIL_LETTER, data })
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
  const newEmail = await requireFreeAddress(tx, realm, change.newEmail, user)
  if (!(await replaceUserEmail(tx, user, newEmail, askedAt(change)))) return false
  await takeAddress(tx, realm, user, newEmail)
  const data = { userId: user.id, newEmail }
  await queueMail(tx, { realmId: realm.id, recipient: user.deliveryEmail, letter: EMAIL_CHANGED_LETTER, data })
  return true
}

/** Tells of the address that the account has now, and ends the invitations that it still has. */
async function takeAddress(tx: Transaction, realm: Realm, user: User, deliveryEmail: string): Promise<void> {
  await tellOfAddress(tx, realm, user, { ...user, deliveryEmail })
  await endInvitationsByAccount(tx, realm.id, deliveryEmail, 'registered')
}
