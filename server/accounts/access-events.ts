import { findShownDefaultChannelIds, findSubscribedIds } from '#channels/access.ts'
import { channelsDeleted, defaultChannelsChanged } from '#channels/audience.ts'
import { type Channel, channelSettingNames } from '#channels/channel.ts'
import { findRealmChannels } from '#channels/queries.ts'
import {
  emitNewlyVisibleChannels,
  emitVisibilityChange,
  trackAllUserVisibility,
  trackChannelVisibility,
} from '#channels/visibility.ts'
import { emitGroupEvents, findActiveAccounts, isDirectlyIn } from '#groups/members.ts'
import { findMembershipScope, type MembershipScope, viewerOf } from '#groups/viewer.ts'
import { isBotManager, maySeeAddress } from '#people/access.ts'
import { botAdded, botRemoved, userChanged } from '#people/user-json.ts'
import { findRealmUsers } from '#people/user-queries.ts'
import { isBot, isVisible, type User } from '#people/users.ts'
import type { Realm } from '#realms/realm.ts'
import { hasMetadataAccess } from '#rules/permissions.ts'
import { isGuest } from '#rules/role.ts'
import type { Transaction } from '#storage/storage.ts'
import { emitTo, findBotJson } from './user-events.ts'

// The events that follow from a change of roles or groups: users, channels, bots, addresses and groups that a user
// can see now, or no longer. A caller records the state before the change and emits the difference after it.

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

type GroupEvent = Parameters<typeof emitGroupEvents>[2][number]

/**
 * Emits the groups that an account has joined and left, because it was created, deactivated or reactivated, or its role
 * has changed.
 */
export async function emitMembershipChange(
  tx: Transaction,
  realm: Realm,
  before: User | null,
  after: User,
): Promise<void> {
  const scope = await findMembershipScope(tx.db, { realmId: realm.id, realm }, tx.now)
  const left = groupIdsOf(scope, before)
  const joined = groupIdsOf(scope, after)
  const events = (op: 'add_members' | 'remove_members', ids: ReadonlySet<number>) =>
    Array.from(ids, (id): GroupEvent => ({ op, group_id: id, user_ids: [after.id] }))
  await emitGroupEvents(tx, realm.id, [
    ...events('remove_members', left.difference(joined)),
    ...events('add_members', joined.difference(left)),
  ])
}

/** Emits the users who became full members, and those who no longer are, because the waiting period has changed. */
export async function emitFullMemberChange(tx: Transaction, before: Realm, after: Realm): Promise<void> {
  if (before.settings.waiting_period_threshold === after.settings.waiting_period_threshold) return
  const people = await findActiveAccounts(tx.db, after.id)
  const scopes = [
    await findMembershipScope(tx.db, { realmId: before.id, realm: before }, tx.now),
    await findMembershipScope(tx.db, { realmId: after.id, realm: after }, tx.now),
  ]
  const [membersBefore, membersAfter] = scopes.map((scope) => {
    const members = [...people.values()].filter((person) => isDirectlyIn(scope, 'role:fullmembers', person))
    return new Set(members.map((person) => person.id))
  }) as [Set<number>, Set<number>]
  const group_id = (scopes[0] as MembershipScope).groups.systemId['role:fullmembers']
  const [left, joined] = [[...membersBefore.difference(membersAfter)], [...membersAfter.difference(membersBefore)]]
  if (left.length > 0) await emitGroupEvents(tx, after.id, [{ op: 'remove_members', group_id, user_ids: left }])
  if (joined.length > 0) await emitGroupEvents(tx, after.id, [{ op: 'add_members', group_id, user_ids: joined }])
}

/** Returns the ids of the groups that list the account as a direct member. */
function groupIdsOf(scope: MembershipScope, user: User | null): Set<number> {
  const ids = new Set<number>()
  if (user === null || user.deactivatedAt !== null) return ids
  for (const group of scope.groups.byId.values()) {
    const { systemName, memberIds } = group
    const isIn = systemName === null ? memberIds.has(user.id) : isDirectlyIn(scope, systemName, user)
    if (isIn) ids.add(group.id)
  }
  return ids
}

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
