import { type Channel, channelSettingNames } from '#channels/channel.ts'
import { findRealmChannels } from '#channels/queries.ts'
import { trackChannelVisibility } from '#channels/track-channel-visibility.ts'
import { trackAllUserVisibility } from '#channels/track-user-visibility.ts'
import type { Realm } from '#realms/realm.ts'
import type { Transaction } from '#storage/storage.ts'

/**
 * Records which channels and users each user can see because of their groups. Call the returned function after changing
 * groups or settings: it emits what became visible and what is no longer visible.
 */
export async function trackAccessChanges(tx: Transaction, realm: Realm): Promise<(realm?: Realm) => Promise<void>> {
  const channels = (await findRealmChannels(tx.db, realm.id)).filter(dependsOnGroups)
  const emitChannelChanges = await trackChannelVisibility(tx, realm, channels)
  const emitUserChanges = await trackAllUserVisibility(tx, realm)
  return async (changedRealm = realm) => {
    await emitUserChanges(changedRealm)
    await emitChannelChanges(changedRealm)
  }
}

/**
 * Returns whether access to the channel depends on a group whose members can change while their roles stay the same.
 * The group of full members is one of these.
 */
function dependsOnGroups({ isPrivate, settings }: Channel): boolean {
  if (!isPrivate) return false
  return channelSettingNames.some((name) => {
    const setting = settings[name]
    if (typeof setting === 'string') return setting === 'role:fullmembers'
    return typeof setting === 'number' || setting.direct_subgroups.length > 0
  })
}
