import { refusal } from '../base/refusal.ts'
import { findRealmBySubdomain } from '../realms/queries.ts'
import { SYSTEM_SUBDOMAIN } from '../realms/realm.ts'
import type { Db } from '../storage/storage.ts'
import { findUserByApiEmail } from '../users/api-email-queries.ts'
import { findUser } from '../users/queries.ts'
import { isSystemBotAddress } from '../users/system-bots.ts'
import type { Actor, User } from '../users/user.ts'

export const badChannelTarget = refusal('BAD_REQUEST', 400, 'Invalid data type for channel')
export const oneChannelOnly = refusal('BAD_REQUEST', 400, 'Expected exactly one channel')
export const badRecipients = refusal('BAD_REQUEST', 400, 'Invalid data type for recipients')
export const mixedRecipients = refusal(
  'BAD_REQUEST',
  400,
  'Recipient lists may contain emails or user IDs, but not both.',
)
export const noRecipients = refusal('BAD_REQUEST', 400, 'Message must have recipients')
export const invalidEmail = refusal('BAD_REQUEST', 400, "Invalid email '{email}'")
export const invalidUserId = refusal('BAD_REQUEST', 400, 'Invalid user ID {id}')

/** The channel that `to` means: its id, or its name raw, as JSON, or alone in a JSON list. */
export function readChannelTarget(to: string): number | string {
  const given = parse(to)
  const value = Array.isArray(given) ? given[0] : given
  if (Array.isArray(given) && given.length !== 1) throw oneChannelOnly()
  if (typeof value === 'string' || Number.isInteger(value)) return value as number | string
  throw badChannelTarget()
}

/** The people whom `to` means: a JSON list of ids or of addresses, or addresses joined by commas. */
export function readPeopleTarget(to: string): number[] | string[] {
  const given = parse(to)
  const list = typeof given === 'string' ? given.split(',') : given
  if (!Array.isArray(list)) throw badRecipients()
  const [first] = list
  if (list.some((value) => typeof value !== typeof first)) throw mixedRecipients()
  if (first === undefined) return []
  if (typeof first === 'string') {
    const addresses = (list as string[]).map((address) => address.trim()).filter((address) => address !== '')
    return [...new Set(addresses)]
  }
  if (!list.every((value) => Number.isInteger(value))) throw badRecipients()
  return [...new Set(list as number[])]
}

/** The text as JSON, or as it stands when it is none. */
function parse(to: string): unknown {
  try {
    return JSON.parse(to)
  } catch {
    return to
  }
}

/** The accounts that are meant, deactivated ones included; of other organizations the server's own bots alone. */
export async function requirePeople(db: Db, actor: Actor, target: number[] | string[]): Promise<User[]> {
  if (target.length === 0) throw noRecipients()
  const people: User[] = []
  for (const key of target)
    people.push(typeof key === 'number' ? await requirePerson(db, actor, key) : await requireAddressee(db, actor, key))
  return people
}

async function requirePerson(db: Db, actor: Actor, id: number): Promise<User> {
  const user = await findUser(db, Number.isSafeInteger(id) ? id : 0)
  if (user === null || (user.realmId !== actor.realmId && !isSystemBotAddress(user.deliveryEmail)))
    throw invalidUserId({ id })
  return user
}

async function requireAddressee(db: Db, actor: Actor, email: string): Promise<User> {
  const realm = isSystemBotAddress(email) ? await findRealmBySubdomain(db, SYSTEM_SUBDOMAIN) : actor.realm
  const user = realm === null ? null : await findUserByApiEmail(db, realm, email)
  if (user === null) throw invalidEmail({ email })
  return user
}
