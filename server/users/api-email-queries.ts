import type { Db } from '../storage/storage.ts'
import { findUser, findUserByDeliveryEmail, findUsersByDeliveryEmail, findUsersById } from './queries.ts'
import { apiEmail, type User } from './user.ts'

const PLACEHOLDER = /^user(\d{1,15})@/i

/** The account of the organization with this API e-mail address, whatever its case; a hidden real address finds nobody. */
export async function findUserByApiEmail(
  db: Db,
  realm: { id: number; subdomain: string },
  email: string,
): Promise<User | null> {
  const isTheirs = (user: User | null) =>
    user?.realmId === realm.id && apiEmail(user, realm, db.settings.EXTERNAL_URL).toLowerCase() === email.toLowerCase()

  const byAddress = await findUserByDeliveryEmail(db, realm.id, email)
  if (isTheirs(byAddress)) return byAddress
  const id = PLACEHOLDER.exec(email)?.[1]
  const byPlaceholder = id === undefined ? null : await findUser(db, Number(id))
  return isTheirs(byPlaceholder) ? byPlaceholder : null
}

/** The accounts of the organization with these API addresses, by address in lower case; two queries for any number. */
export async function findUsersByApiEmail(
  db: Db,
  realm: { id: number; subdomain: string },
  emails: readonly string[],
): Promise<Map<string, User>> {
  const ids = emails.flatMap((email) => PLACEHOLDER.exec(email)?.[1] ?? []).map(Number)
  const users = [...(await findUsersByDeliveryEmail(db, realm.id, emails)), ...(await findUsersById(db, ids))]
  const found = new Map<string, User>()
  for (const user of users) {
    if (user.realmId === realm.id) found.set(apiEmail(user, realm, db.settings.EXTERNAL_URL).toLowerCase(), user)
  }
  return found
}
