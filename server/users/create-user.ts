import { refusal } from '../base/refusal.ts'
import type { Realm } from '../realms/realm.ts'
import type { Transaction } from '../storage/storage.ts'
import { tellOfNewUser } from './events.ts'
import { complainOfAddress, findJoiningRules } from './joining-rules.ts'
import { findUserByDeliveryEmail, type NewUser, saveUser } from './queries.ts'
import { isSystemBotAddress } from './system-bots.ts'
import type { User } from './user.ts'

export const emailTaken = refusal('BAD_REQUEST', 400, "Email '{email}' already in use")
export const emailUnusable = refusal('BAD_REQUEST', 400, '{complaint}')

/** Refuses addresses that may not have an account in the organization, or that have one. */
export async function requireFreeAddress(tx: Transaction, realm: Realm, email: string): Promise<void> {
  const complaint = complainOfAddress(await findJoiningRules(tx.db, realm), email)
  if (complaint !== null) throw emailUnusable({ complaint })
  const isTaken = isSystemBotAddress(email) || (await findUserByDeliveryEmail(tx.db, realm.id, email)) !== null
  if (isTaken) throw emailTaken({ email })
}

/** Makes an account, with an address that was found free, and tells everybody. */
export async function createUser(tx: Transaction, account: NewUser): Promise<User> {
  const user = await saveUser(tx, account)
  await tellOfNewUser(tx, user)
  return user
}
