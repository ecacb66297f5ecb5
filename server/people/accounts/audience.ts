import { findPeople } from '../../channels/audience-queries.ts'
import type { Candidate } from '../../groups/membership.ts'
import { findStrangers } from '../../groups/visible-users.ts'
import type { Realm } from '../../organizations/realms/realm.ts'
import type { Transaction } from '../../platform/storage/storage.ts'
import { isAdministrator } from '../users/role.ts'
import type { User } from '../users/user.ts'

/** The active accounts of an organization, by whether they may know of somebody. */
export type Onlookers = { viewers: Candidate[]; strangers: Candidate[] }

/** Who may know of the user now: everybody but, for people, guests who are limited to those that they meet. */
export async function findOnlookers(tx: Transaction, realm: Realm, user: User): Promise<Onlookers> {
  const { all } = await findPeople(tx.db, realm.id)
  const strangerIds = await findStrangers(tx.db, realm, user, all, tx.now)
  return {
    viewers: all.filter((person) => !strangerIds.has(person.id)),
    strangers: all.filter((person) => strangerIds.has(person.id)),
  }
}

/** Who looks after a bot: its owner, and the administrators. */
export async function findBotKeepers(tx: Transaction, bot: User): Promise<number[]> {
  const { all } = await findPeople(tx.db, bot.realmId)
  return idsOf(all.filter((person) => isAdministrator(person) || person.id === bot.botOwnerId))
}

export const idsOf = (people: readonly Candidate[]): number[] => people.map((person) => person.id)
