import { maySeeAddress } from '#people/access.ts'
import { findRealmUsers, findUsersById } from '#people/user-queries.ts'
import { type Actor, isVisible, type User } from '#people/users.ts'
import { plainName } from '#rules/plain-name.ts'
import { defineCache, replaceById } from '#storage/cache.ts'
import type { Db } from '#storage/storage.ts'

// The search for accounts by the beginning of a name or address, for clients that do not have all accounts. A hidden
// address matches nothing, so that it cannot be guessed letter by letter.

/** The fields of an active account that the search compares. */
type Searched = Pick<User, 'id' | 'botType'> & {
  name: string
  address: string
  settings: Pick<User['settings'], 'email_address_visibility'>
}

const toSearched = ({ id, botType, fullName, deliveryEmail, settings }: User): Searched => ({
  ...{ id, botType, name: plainName(fullName), address: deliveryEmail.toLowerCase() },
  settings: { email_address_visibility: settings.email_address_visibility },
})

const isSame = (one: Searched, other: Searched): boolean =>
  one.name === other.name &&
  one.address === other.address &&
  one.settings.email_address_visibility === other.settings.email_address_visibility

const isActive = ({ deactivatedAt }: User) => deactivatedAt === null

/** The active accounts of each organization, ordered by id. */
const searchedAccounts = defineCache<number, readonly Searched[]>({
  dependsOn: ['users'],
  limit: 500_000,
  sizeOf: (accounts) => accounts.length,
  load: async (db, realmId) => (await findRealmUsers(db, realmId)).filter(isActive).map(toSearched),
  async update(db, realmId, known, userIds) {
    const changed = (await findUsersById(db, userIds)).filter((user) => user.realmId === realmId && isActive(user))
    return replaceById(known, userIds, changed.map(toSearched), ({ id }) => id, isSame)
  },
})

/** The kinds of matches, best first: the start of the name, of a word in it, of the address, and within a word. */
const TIERS = 4

/** The characters before a word within a name. */
const WORD_STARTS = [' ', '-', '_', '.', '(']

function tierOf({ name, address }: Searched, query: string, mayMatchAddress: boolean): number | null {
  const at = name.indexOf(query)
  if (at === 0) return 0
  if (at > 0 && WORD_STARTS.some((sign) => name.includes(sign + query))) return 1
  if (mayMatchAddress && address.startsWith(query)) return 2
  return at > 0 ? 3 : null
}

/**
 * Returns active accounts whose name or address matches, the best matches first, and the number of accounts that were
 * compared. `visibleIds` contains the ids of the users whom the actor may see; null means all users.
 */
export async function searchAccounts(
  db: Db,
  actor: Actor,
  visibleIds: ReadonlySet<number> | null,
  { query, limit }: { query: string; limit: number },
): Promise<{ users: User[]; compared: number }> {
  const plain = plainName(query).trim()
  const found = Array.from({ length: TIERS }, (): number[] => [])
  const accounts = await searchedAccounts.get(db, actor.realmId)
  for (const account of accounts) {
    if (!isVisible(visibleIds, account)) continue
    const tier = tierOf(account, plain, maySeeAddress(actor, account))
    if (tier !== null && (found[tier] as number[]).length < limit) found[tier]?.push(account.id)
  }
  const ids = found.flat().slice(0, limit)
  const users = new Map((await findUsersById(db, ids)).map((user) => [user.id, user]))
  return { users: ids.flatMap((id) => users.get(id) ?? []), compared: accounts.length }
}
