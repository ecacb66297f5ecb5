import { directMemberIds, emitGroupEventTo } from '#groups/members.ts'
import { findRealmGroups } from '#groups/queries.ts'
import { findMembershipScope, isInSetting, viewerOf } from '#groups/viewer.ts'
import { findProfiles } from '#people/profile-fields.ts'
import { findStatuses, statusChanged } from '#people/statuses.ts'
import { toUserJson, userAdded, userRemoved } from '#people/user-json.ts'
import { findRealmUsers, findUsersById } from '#people/user-queries.ts'
import { isBot, type User } from '#people/users.ts'
import type { Realm } from '#realms/realm.ts'
import { isGuest } from '#rules/role.ts'
import type { Transaction } from '#storage/storage.ts'
import { findActivity, newChannelActivity } from './activity.ts'
import {
  channelsCreated,
  channelsDeleted,
  findAudiences,
  findSubscriberIds,
  findSubscribersAmong,
  peersAdded,
} from './audience.ts'
import { type Channel, toChannelJson } from './channel.ts'
import { emitUserTopics } from './user-topics.ts'

// Changes of what users can see. A caller records the visible users or channels before a change; afterwards, everyone
// receives events for what appeared or disappeared for them. Only limited guests are affected by users.

/** The ids of the users that a user may see; null for all users. */
type VisibleUserIds = ReadonlySet<number> | null

/**
 * Records which users are visible to limited guests: those among `users`, and those among the subscribers of
 * `channels`. Call the returned function after changing subscriptions: it emits to these guests which users became
 * visible and which are no longer visible.
 */
export async function trackUserVisibility(
  tx: Transaction,
  realm: Realm,
  users: readonly User[],
  channels: readonly Channel[],
): Promise<() => Promise<void>> {
  const guests = await findLimitedGuests(tx, realm, users, channels)
  const emitChanges = await trackGuests(tx, realm, guests)
  return () => emitChanges(realm)
}

/**
 * Does the same as `trackUserVisibility`, but for all guests and any kind of change. The returned function takes the
 * organization after the change.
 */
export async function trackAllUserVisibility(tx: Transaction, realm: Realm): Promise<(realm: Realm) => Promise<void>> {
  const users = await findRealmUsers(tx.db, realm.id)
  const guests = users.filter((user) => isGuest(user) && user.deactivatedAt === null)
  return trackGuests(tx, realm, guests)
}

async function trackGuests(
  tx: Transaction,
  realm: Realm,
  guests: readonly User[],
): Promise<(realm: Realm) => Promise<void>> {
  const before = await findVisibleUserIdsOfEach(tx, realm, guests)
  return async (changedRealm) => {
    const after = await findVisibleUserIdsOfEach(tx, changedRealm, guests)
    for (const [index, guest] of guests.entries())
      await emitVisibilityChange(tx, changedRealm, guest, before[index] ?? null, after[index] ?? null)
  }
}

async function findLimitedGuests(
  tx: Transaction,
  realm: Realm,
  users: readonly User[],
  channels: readonly Channel[],
): Promise<User[]> {
  const permission = realm.settings.can_access_all_users_group
  if (permission === 'role:everyone') return []
  const guestsOf = channels.map((channel) => channel.id)
  const subscribers = await findSubscribersAmong(tx.db, { allOf: [], guestsOf })
  const guests = users.filter(isGuest).map((user) => user.id)
  const scope = await findMembershipScope(tx.db, { realmId: realm.id, realm }, tx.now)
  const candidates = await findUsersById(tx.db, [...guests, ...[...subscribers.values()].flatMap((ids) => [...ids])])
  return candidates.filter((guest) => !isInSetting(scope, guest, permission))
}

async function findVisibleUserIdsOfEach(
  tx: Transaction,
  realm: Realm,
  people: readonly User[],
): Promise<VisibleUserIds[]> {
  const visibleIds: VisibleUserIds[] = []
  for (const user of people) visibleIds.push(await viewerOf(tx.db, { ...user, realm }, tx.now).visibleIds())
  return visibleIds
}

/** Emits to the viewer which users became visible and which are no longer visible. */
export async function emitVisibilityChange(
  tx: Transaction,
  realm: Realm,
  viewer: User,
  before: VisibleUserIds,
  after: VisibleUserIds,
): Promise<void> {
  if (before === null && after === null) return
  const idsOf = async (ids: VisibleUserIds) =>
    ids ?? new Set((await findRealmUsers(tx.db, realm.id)).map((user) => user.id))
  const [visibleBefore, visibleAfter] = [await idsOf(before), await idsOf(after)]
  await emitNewlyVisibleUsers(tx, realm, viewer, visibleAfter.difference(visibleBefore))
  await emitNoLongerVisibleUsers(tx, realm, viewer, visibleBefore.difference(visibleAfter))
}

async function emitNewlyVisibleUsers(
  tx: Transaction,
  realm: Realm,
  viewer: User,
  ids: ReadonlySet<number>,
): Promise<void> {
  if (ids.size === 0) return
  const form = { computesGravatar: false, profiles: await findProfiles(tx.db, realm.id) }
  const people = (await findUsersById(tx.db, ids)).filter((user) => !isBot(user))
  for (const user of people)
    tx.emit(realm.id, userAdded(toUserJson(viewer, user, realm, tx.db.settings.EXTERNAL_URL, form)), [viewer.id])
  const statuses = await findStatuses(
    tx.db,
    people.filter((user) => user.deactivatedAt === null).map((user) => user.id),
  )
  for (const [userId, status] of statuses) tx.emit(realm.id, statusChanged(userId, status), [viewer.id])
  await emitGroupMemberships(tx, realm, viewer, people)
}

async function emitGroupMemberships(
  tx: Transaction,
  realm: Realm,
  viewer: User,
  people: readonly User[],
): Promise<void> {
  const scope = await findMembershipScope(tx.db, { realmId: realm.id, realm }, tx.now)
  const active = new Map(people.filter((user) => user.deactivatedAt === null).map((user) => [user.id, user]))
  for (const group of scope.groups.byId.values()) {
    const user_ids = directMemberIds(scope, active, group)
    if (user_ids.length > 0)
      emitGroupEventTo(tx, realm.id, { op: 'add_members', group_id: group.id, user_ids }, [viewer.id])
  }
}

async function emitNoLongerVisibleUsers(
  tx: Transaction,
  realm: Realm,
  viewer: User,
  ids: ReadonlySet<number>,
): Promise<void> {
  const people = (await findUsersById(tx.db, ids)).filter((user) => !isBot(user))
  if (people.length === 0) return
  for (const user of people) tx.emit(realm.id, userRemoved(user.id), [viewer.id])
  // The same event is emitted for every group, so that it does not reveal the groups to which these users belong.
  const { groups } = await findMembershipScope(tx.db, { realmId: realm.id, realm }, tx.now)
  const user_ids = people.map((user) => user.id)
  for (const group_id of groups.byId.keys())
    emitGroupEventTo(tx, realm.id, { op: 'remove_members', group_id, user_ids }, [viewer.id])
}

/**
 * Emits channels to users who can see them now but could not before. Also emits the channels' subscribers, and the
 * users' topic policies in the channels.
 */
export async function emitNewlyVisibleChannels(
  tx: Transaction,
  realmId: number,
  channels: readonly Channel[],
  userIds: readonly number[],
): Promise<void> {
  if (channels.length === 0 || userIds.length === 0) return
  const groups = await findRealmGroups(tx.db, realmId)
  const activity = await findActivity(tx.db, channels, tx.now)
  const json = channels.map((channel) => toChannelJson(channel, activity.get(channel.id) ?? newChannelActivity, groups))
  tx.emit(realmId, channelsCreated(json), userIds)

  const ids = channels.map((channel) => channel.id)
  for (const [id, subscribers] of await findSubscriberIds(tx.db, ids))
    tx.emit(realmId, peersAdded([id], [...subscribers]), userIds)
  await emitUserTopics(tx, realmId, ids, userIds)
}

/**
 * Records which users may see the channels. Call the returned function after a change: it emits to each user the
 * channels that became visible, and those that are no longer visible.
 */
export async function trackChannelVisibility(
  tx: Transaction,
  realm: Realm,
  channels: readonly Channel[],
): Promise<(realm: Realm) => Promise<void>> {
  const before = await findAudiences(tx.db, realm, channels, tx.now)
  return async (changedRealm) => {
    const after = await findAudiences(tx.db, changedRealm, channels, tx.now)
    for (const channel of channels) {
      const [couldSee, canSee] = [before, after].map((audiences) => new Set(audiences.get(channel.id)))
      tx.emit(realm.id, channelsDeleted([channel.id]), couldSee!.difference(canSee!))
      await emitNewlyVisibleChannels(tx, realm.id, [channel], [...canSee!.difference(couldSee!)])
    }
  }
}
