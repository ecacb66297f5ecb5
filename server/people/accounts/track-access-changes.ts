import { type Channel, channelSettingNames } from '../../channels/channel.ts'
import { watchChannels } from '../../channels/found-channels.ts'
import { findRealmChannels } from '../../channels/queries.ts'
import { watchEverySight } from '../../channels/sight.ts'
import type { Realm } from '../../organizations/realms/realm.ts'
import type { Transaction } from '../../platform/storage/storage.ts'

/**
 * Notes what everybody may know of by the groups that they are in. The function that it returns, called when groups or
 * the organization's settings have changed, tells everybody what came into their sight and what went out of it.
 */
export async function trackAccessChanges(tx: Transaction, realm: Realm): Promise<(realm?: Realm) => Promise<void>> {
  const channels = (await findRealmChannels(tx.db, realm.id)).filter(dependsOnGroups)
  const tellOfChannels = await watchChannels(tx, realm, channels)
  const tellOfPeople = await watchEverySight(tx, realm)
  return async (realmNow = realm) => {
    await tellOfPeople(realmNow)
    await tellOfChannels(realmNow)
  }
}

/** Whether somebody may know of the channel who is in a group: one that is not a role's, or that of full members. */
function dependsOnGroups({ isPrivate, settings }: Channel): boolean {
  if (!isPrivate) return false
  return channelSettingNames.some((name) => {
    const setting = settings[name]
    if (typeof setting === 'string') return setting === 'role:fullmembers'
    return typeof setting === 'number' || setting.direct_subgroups.length > 0
  })
}
