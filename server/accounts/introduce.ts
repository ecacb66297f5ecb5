import { findDefaultChannelIds } from '../channels/default-channel-queries.ts'
import { findChannelsById } from '../channels/queries.ts'
import type { Realm } from '../realms/realm.ts'
import type { Transaction } from '../storage/storage.ts'
import { subscribeUsers } from '../subscriptions/subscribe-users.ts'
import { isBot, type User } from '../users/user.ts'
import { tellOfGroupsChange } from './group-effects.ts'
import { tellOfNewUser } from './tell-of-user.ts'

/** Tells everybody of an account that was saved just now, and subscribes it, unless it is a bot, to the default channels. */
export async function introduce(tx: Transaction, realm: Realm, user: User): Promise<void> {
  await tellOfNewUser(tx, realm, user)
  await tellOfGroupsChange(tx, realm, null, user)
  if (isBot(user)) return
  const ids = await findDefaultChannelIds(tx.db, realm.id)
  const channels = await findChannelsById(tx.db, realm.id, [...ids])
  const current = channels.filter((channel) => channel.archivedAt === null)
  if (current.length > 0) await subscribeUsers(tx, realm, [user], current)
}
