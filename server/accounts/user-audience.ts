import { findActiveUsers } from '#channels/audience-queries.ts'
import type { Candidate } from '#groups/membership.ts'
import { findNonViewerIds } from '#groups/visible-users.ts'
import { isBotManager } from '#people/users/access.ts'
import type { User } from '#people/users/user.ts'
import type { Realm } from '#realms/realm.ts'
import type { Transaction } from '#storage/storage.ts'

/** The active accounts of an organization: those that may see a certain user, and those that may not. */
type UserAudience = { viewers: Candidate[]; nonViewers: Candidate[] }

/**
 * Returns the users who may see the user now, and those who may not. Only limited guests may not see a user, unless
 * they share a conversation or a channel with the user. Bots are visible to everyone.
 */
export async function findUserAudience(tx: Transaction, realm: Realm, user: User): Promise<UserAudience> {
  const { all } = await findActiveUsers(tx.db, realm.id)
  const nonViewerIds = await findNonViewerIds(tx.db, realm, user, all, tx.now)
  return {
    viewers: all.filter((person) => !nonViewerIds.has(person.id)),
    nonViewers: all.filter((person) => nonViewerIds.has(person.id)),
  }
}

/** Returns the ids of the bot's owner and of all administrators, if they are active. */
export async function findBotManagerIds(tx: Transaction, bot: User): Promise<number[]> {
  const { all } = await findActiveUsers(tx.db, bot.realmId)
  return accountIds(all.filter((person) => isBotManager(person, bot)))
}

export const accountIds = (people: readonly Candidate[]): number[] => people.map((person) => person.id)
