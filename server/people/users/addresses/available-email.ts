import { trimWhitespace } from '#lib/encoding/trim-whitespace.ts'
import { refusal } from '#lib/errors/refusal.ts'
import type { Realm } from '#realms/realm.ts'
import type { Transaction } from '#storage/storage.ts'
import { isSystemBotAddress } from '../bots/system-bots.ts'
import { findEmailProblem, findJoiningRules } from '../joining-rules.ts'
import { findUsersByDeliveryEmail, lockEmailAddresses } from '../queries.ts'
import type { User } from '../user.ts'
import { isReservedEmail } from './email-change-requests.ts'

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
