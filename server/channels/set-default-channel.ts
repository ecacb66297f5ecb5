import { recordAudit } from '#people/audit.ts'
import type { Realm } from '#realms/realm.ts'
import type { Transaction } from '#storage/storage.ts'
import { privateCannotBeDefault } from './access.ts'
import { defaultChannelsChanged, findActiveUsers } from './audience.ts'
import type { Channel } from './channel.ts'
import { deleteDefaultChannel, findDefaultChannelIds, saveDefaultChannel } from './queries.ts'

// Default channels, to which new users are subscribed. A private channel cannot be one, and each change is emitted to
// all users who may know of default channels.

/**
 * Adds the channel to the default channels, or removes it from them if `isDefault` is false. Does nothing if there is
 * nothing to change.
 */
export async function setDefaultChannel(
  tx: Transaction,
  realm: Realm,
  channel: Channel,
  isDefault: boolean,
): Promise<void> {
  if (isDefault && channel.isPrivate) throw privateCannotBeDefault()
  const before = await findDefaultChannelIds(tx.db, realm.id)
  if (before.has(channel.id) === isDefault) return

  if (isDefault) await saveDefaultChannel(tx, realm.id, channel.id)
  else await deleteDefaultChannel(tx, realm.id, channel.id)
  const change = { property: 'is_default', from: !isDefault, to: isDefault }
  await recordAudit(tx, realm.id, 'channel_changed', { targetId: channel.id, ...change })
  const ids = await findDefaultChannelIds(tx.db, realm.id)
  const { memberIds } = await findActiveUsers(tx.db, realm.id)
  tx.emit(realm.id, defaultChannelsChanged([...ids].sort((one, other) => one - other)), memberIds)
}
