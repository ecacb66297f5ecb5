import { type MembershipScope, type Viewer, viewerOf } from '#groups/viewer.ts'
import { refusal } from '#lib/errors.ts'
import { trimWhitespace } from '#lib/text.ts'
import { findUsersByApiEmail, insufficientPermission, noSuchUser, userDeactivated } from '#people/access.ts'
import { findUsersById } from '#people/user-queries.ts'
import { type Actor, isVisible, type User } from '#people/users.ts'
import { allowsSpectators, type Realm } from '#realms/realm.ts'
import * as rules from '#rules/permissions.ts'
import {
  hasContentAccess,
  hasMetadataAccess,
  isChannelAdministrator,
  isRemover,
  mayAdminister,
  mayListMessages,
} from '#rules/permissions.ts'
import { isAdministrator, isGuest } from '#rules/role.ts'
import { defineQuery, idsIn } from '#storage/sql.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { type Channel, channelNameKey, requireChannelName } from './channel.ts'
import { findChannel, findDefaultChannelIds, lockChannelsByNameKey } from './queries.ts'
import { findChannelsKnownByName } from './subscriptions.ts'

// Access to channels: each function returns the channel, or refuses. A hidden channel and a missing one are refused
// by the same line and after the same queries, so neither the response nor its duration tells them apart. The pure
// rules are in rules/permissions.ts.

/** The status of a current or former subscriber. Users who were never subscribed have no status. */
type SubscriptionStatus = 'subscribed' | 'former'

/** The properties that decide who can find a channel and read its messages. */
export type Privacy = Pick<Channel, 'isPrivate' | 'isWebPublic' | 'isHistoryShared'>

/** Returns the name of the privacy in the audit log. */
export function privacyName({ isPrivate, isWebPublic, isHistoryShared }: Privacy): string {
  if (isWebPublic) return 'web_public'
  if (!isPrivate) return 'public'
  return isHistoryShared ? 'private' : 'private_without_history'
}

/** The properties of the privacy that a request sets. Undefined properties are not set. */
export type PrivacyRequest = { [Part in keyof Privacy]?: boolean | undefined }

const statusesIn = defineQuery((db, userId: number, channelIds: string) =>
  db
    .selectFrom('subscriptions')
    .select(['channelId', 'unsubscribedAt'])
    .where('userId', '=', userId)
    .where('channelId', 'in', idsIn(db.dialect, channelIds)),
)

/**
 * Returns the user's subscription status in each of the channels. Channels in which the user has no status are left
 * out.
 */
export async function findSubscriptionStatuses(
  db: Db,
  userId: number,
  channelIds: readonly number[],
): Promise<Map<number, SubscriptionStatus>> {
  const rows = await statusesIn(db, userId, JSON.stringify(channelIds))
  return new Map(rows.map((row) => [row.channelId, row.unsubscribedAt === null ? 'subscribed' : 'former']))
}

const statusIn = defineQuery((db, userId: number, channelId: number) =>
  db
    .selectFrom('subscriptions')
    .select('unsubscribedAt')
    .where('userId', '=', userId)
    .where('channelId', '=', channelId),
)

/** Returns the user's subscription status in the channel; null if the user was never subscribed. */
async function findSubscriptionStatus(db: Db, userId: number, channelId: number): Promise<SubscriptionStatus | null> {
  const [row] = await statusIn(db, userId, channelId)
  if (row === undefined) return null
  return row.unsubscribedAt === null ? 'subscribed' : 'former'
}

export async function isSubscribed(db: Db, userId: number, channelId: number): Promise<boolean> {
  return (await findSubscriptionStatus(db, userId, channelId)) === 'subscribed'
}

/** Returns the ids of the channels to which the user is subscribed, including archived ones. */
export async function findSubscribedIds(db: Db, userId: number): Promise<Set<number>> {
  const rows = await db
    .selectFrom('subscriptions')
    .select('channelId')
    .where('userId', '=', userId)
    .where('unsubscribedAt', 'is', null)
    .execute()
  return new Set(rows.map((row) => row.channelId))
}

/** Queries use this id for a missing channel, so that they are the same as for a hidden channel and take as long. */
export const NO_CHANNEL_ID = 0

const statusesByViewer = new WeakMap<Viewer, Map<number, Promise<SubscriptionStatus | null>>>()

/**
 * Returns the viewer's own subscription status in the channel, which is read once per call; null if the viewer was
 * never subscribed.
 */
function findOwnStatus(viewer: Viewer, channelId: number): Promise<SubscriptionStatus | null> {
  const statuses = statusesByViewer.get(viewer) ?? new Map<number, Promise<SubscriptionStatus | null>>()
  const status = statuses.get(channelId) ?? findSubscriptionStatus(viewer.db, viewer.actor.id, channelId)
  // The status in a missing channel is not cached, because all missing channels share one id. Each of them then takes a
  // query, like a hidden channel.
  if (channelId !== NO_CHANNEL_ID) statusesByViewer.set(viewer, statuses.set(channelId, status))
  return status
}

export async function isViewerSubscribed(viewer: Viewer, channelId: number): Promise<boolean> {
  return (await findOwnStatus(viewer, channelId)) === 'subscribed'
}

export const invalidPrivacy = refusal('BAD_REQUEST', 400, 'Invalid parameters')
export const defaultCannotBePrivate = refusal('BAD_REQUEST', 400, 'A default channel cannot be private.')

export const privateCannotBeDefault = refusal('BAD_REQUEST', 400, 'Private channels cannot be made default.')

export const webPublicNotEnabled = refusal('BAD_REQUEST', 400, 'Web-public channels are not enabled.')

/** Returns whether both values of the privacy open a channel to the same users. */
export function samePrivacy(one: Privacy, other: Privacy): boolean {
  return (
    one.isPrivate === other.isPrivate &&
    one.isWebPublic === other.isWebPublic &&
    one.isHistoryShared === other.isHistoryShared
  )
}

/**
 * Returns the privacy of a new channel. A private channel hides its history from later subscribers unless the request
 * says otherwise.
 */
export function requireNewPrivacy(given: PrivacyRequest): Privacy {
  const isPrivate = given.isPrivate ?? false
  return requireConsistent({
    isPrivate,
    isWebPublic: given.isWebPublic ?? false,
    isHistoryShared: given.isHistoryShared ?? !isPrivate,
  })
}

/**
 * Returns the privacy of a channel after a change. Properties that the request omits follow from the others, or stay
 * the same. A request that makes a channel private without mentioning its history hides the history from later
 * subscribers, as in a new channel.
 */
export function requireChangedPrivacy(present: Privacy, given: PrivacyRequest): Privacy {
  const isPrivate = given.isPrivate ?? (given.isWebPublic === true ? false : present.isPrivate)
  const defaultHistoryShared = !isPrivate || (given.isPrivate === undefined && present.isHistoryShared)
  return requireConsistent({
    isPrivate,
    isWebPublic: given.isWebPublic ?? (isPrivate ? false : present.isWebPublic),
    isHistoryShared: given.isHistoryShared ?? defaultHistoryShared,
  })
}

function requireConsistent(privacy: Privacy): Privacy {
  if (!privacy.isPrivate) {
    if (!privacy.isHistoryShared) throw invalidPrivacy()
  } else if (privacy.isWebPublic) throw invalidPrivacy()
  return privacy
}

export const mayNotAdminister = refusal('BAD_REQUEST', 400, 'You do not have permission to administer this channel.')
export const invalidChannelId = refusal('BAD_REQUEST', 400, 'Invalid channel ID')

/** Refuses unless the actor may create default channels, to which all new users are subscribed. */
export function requireMayCreateDefaultChannel(actor: Actor): void {
  if (!isAdministrator(actor)) throw insufficientPermission()
}

/** Refuses if the organization does not let the actor create channels with this privacy. Owners have no bypass. */
export async function requireMaySetPrivacy(viewer: Viewer, privacy: Privacy): Promise<void> {
  const { actor } = viewer
  if (privacy.isWebPublic && !actor.realm.settings.enable_spectator_access) throw webPublicNotEnabled()
  const permission = privacy.isWebPublic
    ? 'can_create_web_public_channel_group'
    : privacy.isPrivate
      ? 'can_create_private_channel_group'
      : 'can_create_public_channel_group'
  if (!(await viewer.has(permission))) throw insufficientPermission()
}

/** Returns the ids of the default channels that the user may know about, in ascending order; none for guests. */
export async function findShownDefaultChannelIds(db: Db, user: User): Promise<number[]> {
  if (isGuest(user)) return []
  return [...(await findDefaultChannelIds(db, user.realmId))].sort((one, other) => one - other)
}

/**
 * Returns whether the actor may subscribe other users to a channel that the actor can read. `isDefault` is only true
 * for default channels of an invitation: new users are subscribed to them anyway.
 */
export function mayAddSubscribers(scope: MembershipScope, actor: Actor, channel: Channel, isDefault: boolean): boolean {
  const { can_add_subscribers_group } = actor.realm.settings
  return isDefault || rules.mayAddSubscribers(scope, actor, channel, can_add_subscribers_group)
}

/** Returns whether people without an account may read the channel. Nothing else is open to them. */
export const isOpenToSpectators = (realm: Realm, channel: Channel | null): boolean =>
  channel !== null &&
  channel.realmId === realm.id &&
  channel.isWebPublic &&
  channel.archivedAt === null &&
  allowsSpectators(realm)

/**
 * Returns whether the viewer may see the channel, if only as a subscriber. For null, it makes the same queries as for a
 * hidden channel and returns false.
 */
export async function maySeeChannel(viewer: Viewer, channel: Channel | null): Promise<boolean> {
  if (viewer.isSpectator) return isOpenToSpectators(viewer.actor.realm, channel)
  const scope = await viewer.scope()
  if (channel !== null && hasMetadataAccess(scope, viewer.actor, channel, false)) return true
  return isViewerSubscribed(viewer, channel?.id ?? NO_CHANNEL_ID)
}

/** Returns the channel if the viewer may see it. Refuses a hidden channel exactly like a missing one. */
export async function requireChannel(viewer: Viewer, id: number): Promise<Channel> {
  const channel = await findChannel(viewer.db, viewer.actor.realmId, id)
  const isKnown = await maySeeChannel(viewer, channel)
  if (channel === null || !isKnown) throw invalidChannelId()
  return channel
}

/** Returns the channel if the viewer may list its messages. Administrators have no bypass. */
export async function requireReadableChannel(viewer: Viewer, id: number): Promise<Channel> {
  const channel = await findChannel(viewer.db, viewer.actor.realmId, id)
  if (viewer.isSpectator) {
    if (channel === null || !isOpenToSpectators(viewer.actor.realm, channel)) throw invalidChannelId()
    return channel
  }
  const scope = await viewer.scope()
  if (channel !== null && mayListMessages(scope, viewer.actor, channel, false)) return channel
  const isIn = await isViewerSubscribed(viewer, channel?.id ?? NO_CHANNEL_ID)
  if (channel === null || !isIn) throw invalidChannelId()
  return channel
}

/** Returns the channel if the viewer may see it and change its settings. */
export async function requireAdministrableChannel(viewer: Viewer, id: number): Promise<Channel> {
  const channel = await requireChannel(viewer, id)
  if (!mayAdminister(await viewer.scope(), viewer.actor, channel)) throw mayNotAdminister()
  return channel
}

export const channelDoesNotExist = refusal('STREAM_DOES_NOT_EXIST', 400, "Channel '{name}' does not exist", {
  field: 'subscriptions',
  extras: ({ name }) => ({ stream: name }),
})

/** The users whose subscriptions a request changes, by id or by API email address. */
export type Principals = readonly number[] | readonly string[]

/**
 * Returns the users whose subscriptions a request changes, each once. If the request names no users, it is the actor.
 */
export async function requirePrincipals(viewer: Viewer, principals: Principals | undefined): Promise<User[]> {
  const { db, actor } = viewer
  if (principals === undefined || principals.length === 0) return [actor]
  const visibleIds = await viewer.visibleIds()
  const users = await requireAll(db, actor, principals, visibleIds)
  for (const user of users) {
    if (!isVisible(visibleIds, user)) throw insufficientPermission()
    if (user.deactivatedAt !== null) throw userDeactivated()
  }
  return users
}

/** Returns the users in the order of the request. Refuses if one of them is unknown. */
async function requireAll(
  db: Db,
  actor: Actor,
  principals: Principals,
  visibleIds: ReadonlySet<number> | null,
): Promise<User[]> {
  const isKnown = (user: User) => isVisible(visibleIds, user)
  const found = await (isIds(principals)
    ? findByIds(db, actor, principals)
    : findUsersByApiEmail(db, actor.realm, principals.map(toKey), isKnown))
  const users = new Map<number, User>()
  for (const principal of principals) {
    const user = found.get(typeof principal === 'string' ? toKey(principal) : principal)
    if (user === undefined) throw noSuchUser()
    users.set(user.id, user)
  }
  return [...users.values()]
}

const isIds = (principals: Principals): principals is readonly number[] => typeof principals[0] === 'number'

const toKey = (email: string) => trimWhitespace(email).toLowerCase()

async function findByIds(db: Db, actor: Actor, ids: readonly number[]): Promise<Map<number | string, User>> {
  const users = await findUsersById(db, ids)
  return new Map(users.filter((user) => user.realmId === actor.realmId).map((user) => [user.id, user]))
}

/** Returns whether the user is the actor or a bot owned by the actor. */
function isSelfOrOwnBot(actor: User, user: User): boolean {
  return user.id === actor.id || user.botOwnerId === actor.id
}

/**
 * The named channels without duplicates, the first name without a channel that the actor may see, and a viewer that was
 * created after locking the channels.
 */
type NamedChannels = { channels: Channel[]; unknownName: string | null; viewer: Viewer }

/**
 * Finds the channels in which the actor changes the subscriptions of `users`, and locks them: until the transaction
 * ends, no other transaction can change who may see them. Channels that `findVisibleChannels` does not return count as
 * missing. It also returns channels that the actor has left, so that clients can repeat a request to leave a channel.
 */
export async function lockNamedChannels(
  tx: Transaction,
  actor: Actor,
  users: readonly User[],
  given: readonly string[],
): Promise<NamedChannels> {
  const names = given.map(requireChannelName)
  const found = await lockChannelsByNameKey(tx, actor.realmId, names)
  const named = names.map((name) => found.get(channelNameKey(name)) ?? null)
  const viewer = viewerOf(tx.db, actor, tx.now)
  const visible = await findVisibleChannels(viewer, users, named)
  const channels = new Set<Channel>()
  let unknownName: string | null = null
  for (const name of names) {
    const channel = found.get(channelNameKey(name))
    if (channel !== undefined && visible.has(channel)) channels.add(channel)
    else unknownName ??= name
  }
  return { channels: [...channels], unknownName, viewer }
}

/**
 * Returns the channels that the actor may see. Also returns those to which the actor, or one of the actor's bots among
 * `users`, was subscribed while the channel had its current name. Null stands for a missing channel, which takes the
 * same queries as a hidden one.
 */
export async function findVisibleChannels(
  viewer: Viewer,
  users: readonly User[],
  channels: readonly (Channel | null)[],
): Promise<ReadonlySet<Channel>> {
  const { db, actor } = viewer
  const scope = await viewer.scope()
  const [visible, hidden] = [new Set<Channel>(), new Map<number, Channel | null>()]
  for (const channel of channels) {
    if (channel !== null && hasMetadataAccess(scope, actor, channel, false)) visible.add(channel)
    else hidden.set(channel?.id ?? NO_CHANNEL_ID, channel)
  }
  if (hidden.size === 0) return visible
  const ownUserIds = [actor, ...users.filter((user) => isSelfOrOwnBot(actor, user))].map((user) => user.id)
  for (const id of await findChannelsKnownByName(db, ownUserIds, [...hidden.keys()]))
    visible.add(hidden.get(id) as Channel)
  return visible
}

/** Separates the channels that the actor can read, and may therefore join, from all others. */
export async function splitByAccess(
  viewer: Viewer,
  channels: readonly Channel[],
): Promise<{ joinable: Channel[]; unauthorized: Channel[] }> {
  const { db, actor } = viewer
  const scope = await viewer.scope()
  const unreadable = channels.filter((channel) => !hasContentAccess(scope, actor, channel, false))
  const ids = unreadable.map((channel) => channel.id)
  const statuses = unreadable.length === 0 ? new Map() : await findSubscriptionStatuses(db, actor.id, ids)
  const unauthorized = unreadable.filter((channel) => statuses.get(channel.id) !== 'subscribed')
  return { joinable: channels.filter((channel) => !unauthorized.includes(channel)), unauthorized }
}

/** Refuses unless the actor may subscribe other users to all of the channels. */
export async function requireMaySubscribeOthers(viewer: Viewer, channels: readonly Channel[]): Promise<void> {
  const { actor } = viewer
  const scope = await viewer.scope()
  if (channels.some((channel) => !mayAddSubscribers(scope, actor, channel, false))) throw insufficientPermission()
}

/**
 * Refuses unless the actor may unsubscribe the users from all of the channels. Everyone may unsubscribe themselves and
 * their own bots. Guests may not unsubscribe anyone else, even if there are no channels.
 */
export async function requireMayUnsubscribe(
  viewer: Viewer,
  users: readonly User[],
  channels: readonly Channel[],
): Promise<void> {
  const { db, actor } = viewer
  if (users.every((user) => isSelfOrOwnBot(actor, user)) || isAdministrator(actor)) return
  if (isGuest(actor)) throw insufficientPermission()
  const scope = await viewer.scope()
  if (channels.every((channel) => isChannelAdministrator(scope, actor, channel))) return
  const ids = channels.map((channel) => channel.id)
  const statuses = await findSubscriptionStatuses(db, actor.id, ids)
  for (const channel of channels) {
    const isSubscribed = statuses.get(channel.id) === 'subscribed'
    if (!isRemover(scope, actor, channel, isSubscribed)) throw insufficientPermission()
  }
}
