import { hasMetadataAccess } from '../../channels/access.ts'
import type { Channel } from '../../channels/channel.ts'
import { emitNewlyVisibleChannels } from '../../channels/channel-visibility.ts'
import { channelsDeleted } from '../../channels/events.ts'
import { findRealmChannels } from '../../channels/queries.ts'
import { findSubscribedIds } from '../../channels/subscription-status-queries.ts'
import { findMembershipScope } from '../../groups/membership.ts'
import type { Realm } from '../../organizations/realms/realm.ts'
import type { Transaction } from '../../platform/storage/storage.ts'
import type { User } from '../users/user.ts'

/** Emits the channels that an account can and can no longer see after a change of its role. */
export async function emitChannelVisibilityChange(
  tx: Transaction,
  realm: Realm,
  before: User,
  after: User,
): Promise<void> {
  const scope = await findMembershipScope(tx.db, { realmId: realm.id, realm }, tx.now)
  const subscribed = await findSubscribedIds(tx.db, after.id)
  const channels = await findRealmChannels(tx.db, realm.id)
  const isKnown = (user: User, channel: Channel) => hasMetadataAccess(scope, user, channel, subscribed.has(channel.id))

  const lost = channels.filter((channel) => isKnown(before, channel) && !isKnown(after, channel))
  if (lost.length > 0) tx.emit(realm.id, channelsDeleted(lost.map((channel) => channel.id)), [after.id])
  const found = channels.filter((channel) => !isKnown(before, channel) && isKnown(after, channel))
  await emitNewlyVisibleChannels(tx, realm.id, found, [after.id])
}
