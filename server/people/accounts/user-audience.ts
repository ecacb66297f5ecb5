import { findPeople } from '../../channels/audience-queries.ts'
import type { Candidate } from '../../groups/membership.ts'
import { findNonViewerIds } from '../../groups/visible-users.ts'
import type { Realm } from '../../organizations/realms/realm.ts'
import type { Transaction } from '../../platform/storage/storage.ts'
import { isAdministrator } from '../users/role.ts'
import type { User } from '../users/user.ts'

/** The active accounts of an organization, by whether they may know of somebody. */
export type UserAudience = { viewers: Candidate[]; nonViewers: Candidate[] }

/** Who may know of the user now: everybody but, for people, guests who are limited to those that they meet. */
export async function findUserAudience(tx: Transaction, realm: Realm, user: User): Promise<UserAudience> {
  const { all } = await findPeople(tx.db, realm.id)
  const strangerIds = await findNonViewerIds(tx.db, realm, user, all, tx.now)
  return {
    viewers: all.filter((person) => !strangerIds.has(person.id)),
    nonViewers: all.filter((person) => strangerIds.has(person.id)),
  }
}

/** Who looks after a bot: its owner, and the administrators. */
export async function findBotManagerIds(tx: Transaction, bot: User): Promise<number[]> {
  const { all } = await findPeople(tx.db, bot.realmId)
  return accountIds(all.filter((person) => isAdministrator(person) || person.id === bot.botOwnerId))
}

export const accountIds = (people: readonly Candidate[]): number[] => people.map((person) => person.id)
