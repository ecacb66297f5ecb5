import { refusal } from '#lib/errors/refusal.ts'
import { saveRealmSettings } from '#realms/queries.ts'
import type { Realm } from '#realms/realm.ts'
import { channelIdSettings } from '#realms/settings.ts'
import type { Transaction } from '#storage/storage.ts'
import { findAudience } from './audience.ts'
import { findActiveUsers } from './audience-queries.ts'
import type { Channel } from './channel.ts'
import { channelChanged } from './events.ts'
import { saveChannelFields } from './queries.ts'
import { setDefaultChannel } from './set-default-channel.ts'
import { trackUserVisibility } from './track-user-visibility.ts'

export const alreadyArchived = refusal('BAD_REQUEST', 400, 'Channel is already deactivated')

const NO_CHANNEL = -1

/**
 * Archives the channel. Its messages and subscriptions are kept. It is no longer a default channel, and settings of the
 * organization that name it are cleared.
 */
export async function archiveChannel(tx: Transaction, realm: Realm, channel: Channel): Promise<void> {
  if (channel.archivedAt !== null) throw alreadyArchived()
  await setDefaultChannel(tx, realm, channel, false)
  await clearSettingsNaming(tx, realm, channel)
  const emitVisibilityChanges = await trackUserVisibility(tx, realm, [], [channel])
  await saveChannelFields(tx, channel.id, { archivedAt: tx.now })
  const audience = await findAudience(tx.db, realm, channel, tx.now)
  tx.emit(realm.id, channelChanged(channel, 'is_archived', true), audience)
  await emitVisibilityChanges()
}

async function clearSettingsNaming(tx: Transaction, realm: Realm, channel: Channel): Promise<void> {
  const properties = channelIdSettings.filter((name) => realm.settings[name] === channel.id)
  if (properties.length === 0) return
  await saveRealmSettings(tx, realm.id, Object.fromEntries(properties.map((name) => [name, NO_CHANNEL])))
  const everyone = (await findActiveUsers(tx.db, realm.id)).ids
  for (const property of properties) {
    tx.emit(realm.id, { type: 'realm', op: 'update', property, value: NO_CHANNEL } as const, everyone)
  }
}
