import { findRealmGroups } from '#groups/queries.ts'
import type { Realm } from '#realms/realm.ts'
import type { Transaction } from '#storage/storage.ts'
import { newChannelActivity } from './activity.ts'
import { findAudience } from './audience.ts'
import type { Channel } from './channel.ts'
import { toChannelJson } from './channel-json.ts'
import { channelsCreated } from './events.ts'
import { type NewChannel, saveChannel } from './queries.ts'
import { setDefaultChannel } from './set-default-channel.ts'

/** A channel that is about to be created. The caller has checked that its name is unused. */
export type ChannelPlan = Omit<NewChannel, 'realmId'> & { isDefault: boolean }

/** Creates a channel without subscribers, and emits it to the users who may see it. */
export async function createChannel(tx: Transaction, realm: Realm, plan: ChannelPlan): Promise<Channel> {
  const { isDefault, ...fields } = plan
  const channel = await saveChannel(tx, { ...fields, realmId: realm.id })
  const groups = await findRealmGroups(tx.db, realm.id)
  const created = channelsCreated([toChannelJson(channel, newChannelActivity, groups)])
  tx.emit(realm.id, created, await findAudience(tx.db, realm, channel, tx.now))
  if (isDefault) await setDefaultChannel(tx, realm, channel, true)
  return channel
}
