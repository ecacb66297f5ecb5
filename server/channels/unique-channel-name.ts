import { refusal } from '#lib/errors/refusal.ts'
import type { Transaction } from '#storage/storage.ts'
import type { Channel } from './channel.ts'
import { requireChannelName } from './channel-name.ts'
import { findChannelsByName, lockChannelNames } from './queries.ts'

export const sameChannelName = refusal('BAD_REQUEST', 400, 'Channel already has that name.', { field: 'name' })
export const channelNameTaken = refusal('BAD_REQUEST', 400, 'Channel name is already in use.', { field: 'name' })

/**
 * Returns the new name of a channel. Refuses a name that another channel has, ignoring case. A name that differs from
 * the current one only in case is accepted. The name stays reserved until the transaction ends.
 */
export async function requireUniqueChannelName(tx: Transaction, channel: Channel, given: string): Promise<string> {
  const name = requireChannelName(given)
  if (name === channel.name) throw sameChannelName()
  await lockChannelNames(tx, channel.realmId)
  const sameName = await findChannelsByName(tx.db, channel.realmId, [name])
  if (sameName.some((other) => other.id !== channel.id)) throw channelNameTaken()
  return name
}
