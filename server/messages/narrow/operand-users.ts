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

/** The account that an id or an API address means; one that the reader may not know of is refused like nobody's. */
export async function requireOperandUser(narrower: NarrowContext, operand: Operand): Promise<User> {
  const user = typeof operand === 'object' ? null : await findOperandUser(narrower, operand)
  if (user === null) throw badNarrow({ desc: `unknown user ${operand}` })
  return user
}

/** The accounts that a list of ids or addresses means, or text with commas between them. */
export async function requireOperandUsers(narrower: NarrowContext, operand: Operand): Promise<User[]> {
  const keys = typeof operand === 'string' ? operand.split(',') : typeof operand === 'number' ? [operand] : operand
  const people: User[] = []
  for (const key of keys) {
    const user = await findOperandUser(narrower, key)
    if (user === null) throw badNarrow({ desc: `unknown user in ${operand}` })
    people.push(user)
  }
  return people
}

async function findOperandUser(narrower: NarrowContext, key: string | number): Promise<User | null> {
  const { db, actor, now } = narrower
  const user = await findAnyUser(narrower, key)
  if (user === null || user.realmId !== actor.realmId) return user
  const visibleIds = await findVisibleUserIds(db, actor, now)
  return isVisible(visibleIds, user) ? user : null
}

/** Of other organizations the server's own bots alone. */
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
