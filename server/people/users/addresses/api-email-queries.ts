import type { Db } from '../../../platform/storage/storage.ts'
import { findUsersByDeliveryEmail, findUsersById } from '../queries.ts'
import { apiEmail, placeholderEmail, type User } from '../user.ts'

const PLACEHOLDER = /^user(\d{1,15})@/i

const everybody = () => true

/** The one account that `findUsersByApiEmail` finds. */
export async function findUserByApiEmail(
  db: Db,
  realm: { id: number; subdomain: string },
  email: string,
  isKnown?: (user: User) => boolean,
): Promise<User | null> {
  return (await findUsersByApiEmail(db, realm, [email], isKnown)).get(email.toLowerCase()) ?? null
}

/**
 * The accounts of the organization with these API addresses, whatever their case, by address in lower case; two queries
 * for any number. A hidden real address finds nobody. Of whom the caller does not know, only the placeholder finds them,
 * which is their address wherever the caller reads of them: a real one must not tell whether somebody has it.
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
  const found = new Map<string, User>()
  for (const user of users) {
    if (user.realmId !== realm.id) continue
    const email = isKnown(user) ? apiEmail(user, realm, EXTERNAL_URL) : placeholderEmail(user.id, realm, EXTERNAL_URL)
    found.set(email.toLowerCase(), user)
  }
  return found
}
