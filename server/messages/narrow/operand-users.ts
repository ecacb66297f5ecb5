import type { Viewer } from '#groups/viewer.ts'
import { findUserByApiEmail } from '#people/users/addresses/api-email-queries.ts'
import { isSystemBotAddress } from '#people/users/bots/system-bots.ts'
import { findUser } from '#people/users/queries.ts'
import { isVisible, type User } from '#people/users/user.ts'
import { findRealmBySubdomain } from '#realms/queries.ts'
import { SYSTEM_SUBDOMAIN } from '#realms/realm.ts'
import { badNarrow } from './refusals.ts'
import { type Operand, parseId } from './term.ts'

/** Returns the user with this id or API email address. Refuses a user whom the reader cannot see like a missing one. */
export async function requireOperandUser(viewer: Viewer, operand: Operand): Promise<User> {
  const user = typeof operand === 'object' ? null : await findOperandUser(viewer, operand)
  if (user === null) throw badNarrow({ desc: `unknown user ${operand}` })
  return user
}

/** Returns the users with these ids or email addresses, given as a list or a comma-separated string. */
export async function requireOperandUsers(viewer: Viewer, operand: Operand): Promise<User[]> {
  const keys = typeof operand === 'string' ? operand.split(',') : typeof operand === 'number' ? [operand] : operand
  const users: User[] = []
  for (const key of keys) {
    const user = await findOperandUser(viewer, key)
    if (user === null) throw badNarrow({ desc: `unknown user in ${operand}` })
    users.push(user)
  }
  return users
}

async function findOperandUser(viewer: Viewer, key: string | number): Promise<User | null> {
  const { actor } = viewer
  const user = await findAnyUser(viewer, key)
  if (user === null || user.realmId !== actor.realmId) return user
  const visibleIds = await viewer.visibleIds()
  return isVisible(visibleIds, user) ? user : null
}

/** Returns the user of the reader's organization, or the system bot, with this id or API email address. */
async function findAnyUser({ db, actor }: Viewer, key: string | number): Promise<User | null> {
  const id = parseId(key)
  if (id !== null) {
    const user = await findUser(db, id)
    return user?.realmId === actor.realmId || isSystemBotAddress(user?.deliveryEmail ?? '') ? user : null
  }
  const email = String(key).trim()
  const realm = isSystemBotAddress(email) ? await findRealmBySubdomain(db, SYSTEM_SUBDOMAIN) : actor.realm
  return realm === null ? null : findUserByApiEmail(db, realm, email)
}
