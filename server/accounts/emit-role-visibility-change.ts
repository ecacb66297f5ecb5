import { findShownDefaultChannelIds } from '#channels/access.ts'
import type { Channel } from '#channels/channel.ts'
import { channelsDeleted, defaultChannelsChanged } from '#channels/events.ts'
import { findRealmChannels } from '#channels/queries.ts'
import { findSubscribedIds } from '#channels/subscription-status-queries.ts'
import { emitNewlyVisibleChannels } from '#channels/track-channel-visibility.ts'
import { emitVisibilityChange } from '#channels/track-user-visibility.ts'
import { findMembershipScope } from '#groups/membership.ts'
import { viewerOf } from '#groups/viewer.ts'
import { isBotManager, maySeeAddress } from '#people/users/access.ts'
import { botAdded, botRemoved, userChanged } from '#people/users/events.ts'
import { findRealmUsers } from '#people/users/queries.ts'
import { isBot, isVisible, type User } from '#people/users/user.ts'
import type { Realm } from '#realms/realm.ts'
import { hasMetadataAccess } from '#rules/channel-rules.ts'
import { isGuest } from '#rules/role.ts'
import type { Transaction } from '#storage/storage.ts'
import { emitTo, findBotJson } from './emit-user-events.ts'

/**
 * Emits the users, addresses, bots and channels that an account can see, or can no longer see, because its role has
 * changed. Does nothing if the account is deactivated.
 */
export async function emitRoleVisibilityChange(
  tx: Transaction,
  realm: Realm,
  before: User,
  after: User,
): Promise<void> {
  if (after.deactivatedAt !== null) return
  const [visibleBefore, visibleAfter] = [
    await viewerOf(tx.db, { ...before, realm }, tx.now).visibleIds(),
    await viewerOf(tx.db, { ...after, realm }, tx.now).visibleIds(),
  ]
  const people = await findRealmUsers(tx.db, realm.id)
  for (const user of people) {
    const isVisibleBeforeAndAfter = isVisible(visibleBefore, user) && isVisible(visibleAfter, user)
    if (isVisibleBeforeAndAfter) emitAddressVisibility(tx, realm, before, after, user)
  }
  await emitVisibilityChange(tx, realm, after, visibleBefore, visibleAfter)
  if (isGuest(before) !== isGuest(after)) await emitDefaultChannels(tx, realm, after)
  await emitManagedBots(tx, realm, before, after, people)
  await emitChannelVisibilityChange(tx, realm, before, after)
}

function emitAddressVisibility(tx: Transaction, realm: Realm, before: User, after: User, user: User): void {
  const isShown = maySeeAddress(after, user)
  if (isShown === maySeeAddress(before, user)) return
  emitTo(tx, realm, userChanged(user.id, { delivery_email: isShown ? user.deliveryEmail : null }), [after.id])
}

async function emitDefaultChannels(tx: Transaction, realm: Realm, after: User): Promise<void> {
  const ids = await findShownDefaultChannelIds(tx.db, after)
  emitTo(tx, realm, defaultChannelsChanged(ids), [after.id])
}

/** Emits the bots that an account manages, or no longer manages, because its role has changed. */
async function emitManagedBots(
  tx: Transaction,
  realm: Realm,
  before: User,
  after: User,
  people: readonly User[],
): Promise<void> {
  for (const bot of people.filter(isBot)) {
    const isManaged = isBotManager(after, bot)
    if (isManaged === isBotManager(before, bot)) continue
    emitTo(tx, realm, isManaged ? botAdded(await findBotJson(tx, realm, bot)) : botRemoved(bot.id), [after.id])
  }
}

/** Emits the channels that an account can see, or can no longer see, because its role has changed. */
async function emitChannelVisibilityChange(tx: Transaction, realm: Realm, before: User, after: User): Promise<void> {
  const scope = await findMembershipScope(tx.db, { realmId: realm.id, realm }, tx.now)
  const subscribed = await findSubscribedIds(tx.db, after.id)
  const channels = await findRealmChannels(tx.db, realm.id)
  const canSee = (user: User, channel: Channel) => hasMetadataAccess(scope, user, channel, subscribed.has(channel.id))

  const lost = channels.filter((channel) => canSee(before, channel) && !canSee(after, channel))
  if (lost.length > 0) tx.emit(realm.id, channelsDeleted(lost.map((channel) => channel.id)), [after.id])
  const gained = channels.filter((channel) => !canSee(before, channel) && canSee(after, channel))
  await emitNewlyVisibleChannels(tx, realm.id, gained, [after.id])
}
