import type { Db } from '#storage/storage.ts'
import { findUsersByDeliveryEmail, findUsersById } from '../queries.ts'
import { apiEmail, placeholderEmail, type User } from '../user.ts'

const PLACEHOLDER = /^user(\d{1,15})@/i

const everybody = () => true

/** Returns the account with this API email address. It follows the rules of `findUsersByApiEmail`. */
export async function findUserByApiEmail(
  db: Db,
  realm: { id: number; subdomain: string },
  email: string,
  isKnown?: (user: User) => boolean,
): Promise<User | null> {
  return (await findUsersByApiEmail(db, realm, [email], isKnown)).get(email.toLowerCase()) ?? null
}

/**
 * Returns the organization's accounts with these API email addresses, by address in lower case. Case is ignored, and
 * any number of addresses takes two queries. A hidden real address matches nothing. Users for whom `isKnown` returns
 * false match only by their placeholder address. A real address then does not reveal whether it has an account.
 */
export async function findUsersByApiEmail(
  db: Db,
  realm: { id: number; subdomain: string },
  emails: readonly string[],
  isKnown: (user: User) => boolean = everybody,
): Promise<Map<string, User>> {
  const { EXTERNAL_URL } = db.settings
  const ids = emails.flatMap((email) => PLACEHOLDER.exec(email)?.[1] ?? []).map(Number)
  const users = [...(await findUsersByDeliveryEmail(db, realm.id, emails)), ...(await findUsersById(db, ids))]
  const byEmail = new Map<string, User>()
  for (const user of users) {
    if (user.realmId !== realm.id) continue
    const email = isKnown(user) ? apiEmail(user, realm, EXTERNAL_URL) : placeholderEmail(user.id, realm, EXTERNAL_URL)
    byEmail.set(email.toLowerCase(), user)
  }
  return byEmail
}
