import { findVisibleUserIds } from '../../groups/visible-users.ts'
import { findRealmBySubdomain } from '../../organizations/realms/queries.ts'
import { SYSTEM_SUBDOMAIN } from '../../organizations/realms/realm.ts'
import { findUserByApiEmail } from '../../people/users/addresses/api-email-queries.ts'
import { isSystemBotAddress } from '../../people/users/bots/system-bots.ts'
import { findUser } from '../../people/users/queries.ts'
import { isVisible, type User } from '../../people/users/user.ts'
import type { NarrowContext } from './clause.ts'
import { badNarrow } from './refusals.ts'
import { type Operand, parseId } from './term.ts'

/** Returns the user with this id or API email address; refuses a user whom the reader cannot see like a missing one. */
export async function requireOperandUser(context: NarrowContext, operand: Operand): Promise<User> {
  const user = typeof operand === 'object' ? null : await findOperandUser(context, operand)
  if (user === null) throw badNarrow({ desc: `unknown user ${operand}` })
  return user
}

/** Returns the users of a list of ids or email addresses, or of a comma-separated text. */
export async function requireOperandUsers(context: NarrowContext, operand: Operand): Promise<User[]> {
  const keys = typeof operand === 'string' ? operand.split(',') : typeof operand === 'number' ? [operand] : operand
  const users: User[] = []
  for (const key of keys) {
    const user = await findOperandUser(context, key)
    if (user === null) throw badNarrow({ desc: `unknown user in ${operand}` })
    users.push(user)
  }
  return users
}

async function findOperandUser(context: NarrowContext, key: string | number): Promise<User | null> {
  const { db, actor, now } = context
  const user = await findAnyUser(context, key)
  if (user === null || user.realmId !== actor.realmId) return user
  const visibleIds = await findVisibleUserIds(db, actor, now)
  return isVisible(visibleIds, user) ? user : null
}

/** From other organizations it finds only system bots. */
async function findAnyUser({ db, actor }: NarrowContext, key: string | number): Promise<User | null> {
  const id = parseId(key)
  if (id !== null) {
    const user = await findUser(db, id)
    return user?.realmId === actor.realmId || isSystemBotAddress(user?.deliveryEmail ?? '') ? user : null
  }
  const email = String(key).trim()
  const realm = isSystemBotAddress(email) ? await findRealmBySubdomain(db, SYSTEM_SUBDOMAIN) : actor.realm
  return realm === null ? null : findUserByApiEmail(db, realm, email)
}
