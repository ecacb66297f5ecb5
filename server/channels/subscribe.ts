import { findMembershipScope, viewerOf } from '#groups/viewer.ts'
import { refusal } from '#lib/errors.ts'
import { requireBelowDailyLimit } from '#people/creation-limits.ts'
import type { Actor, User } from '#people/users.ts'
import type { Realm } from '#realms/realm.ts'
import { hasMetadataAccess } from '#rules/permissions.ts'
import { lockRecipients } from '#storage/counters.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import {
  findVisibleChannels,
  type Principals,
  requireMaySubscribeOthers,
  requirePrincipals,
  splitByAccess,
} from './access.ts'
import { findActivity, newChannelActivity } from './activity.ts'
import { channelsCreated, emitPeerChanges, findSubscriberIds, peersAdded, subscriptionsAdded } from './audience.ts'
import {
  type Channel,
  type ChannelJson,
  channelNameKey,
  requireChannelName,
  requireDescription,
  toChannelJson,
} from './channel.ts'
import {
  createChannel,
  type NewChannelRequest,
  requireAllowedNewChannelSize,
  requireNewChannelPlan,
} from './create-channel.ts'
import { lockChannelNames, lockChannelsByNameKey } from './queries.ts'
import {
  defaultColor,
  groupByChannels,
  type InheritedNotifications,
  inheritedNotifications,
  type Subscription,
  saveSubscriptions,
  toColor,
  toSubscriptionJson,
  type UserChannelPair,
} from './subscriptions.ts'
import { emitUserTopics } from './user-topics.ts'
import { trackUserVisibility } from './visibility.ts'

// Subscribing users to channels by name, which creates missing channels. Everything that can be refused is refused
// before anything is written. This operation sends no messages; the call of the API, which also announces channels,
// is workflows/subscribe-and-announce.ts.

/** The pairs of users and channels that are newly subscribed, and those that were already subscribed. */
export type SubscribeUsersResult = { subscribed: UserChannelPair[]; alreadySubscribed: UserChannelPair[] }

/** A channel to subscribe to. It is created if no channel has its name. */
type ChannelRequest = { name: string; description?: string | undefined; color?: string | undefined }

export type SubscribeRequest = {
  channelRequests: readonly ChannelRequest[]
  principals?: Principals | undefined
  /** The properties of channels that are created. */
  newChannels: NewChannelRequest
  /** True if channels that the actor may not join are skipped. Otherwise the whole request is refused. */
  skipsUnauthorized: boolean
  /** True if the transaction saves messages afterwards, whether or not users are subscribed. */
  sendsMessages: boolean
}

export type SubscribeResult = SubscribeUsersResult & { created: Channel[]; unauthorized: Channel[] }

const noColors: ReadonlyMap<number, string> = new Map()

/**
 * Subscribes every user to every channel and emits the changes, without checking permissions. Users who were subscribed
 * before get their former settings back. `colors`, by channel id, apply only to new subscriptions.
 */
export async function subscribeUsers(
  tx: Transaction,
  realm: Realm,
  users: readonly User[],
  channels: readonly Channel[],
  colors = noColors,
): Promise<SubscribeUsersResult> {
  const emitVisibilityChanges = await trackUserVisibility(tx, realm, users, channels)
  const wanted = channels.flatMap(({ id: channelId }) => {
    const color = colors.get(channelId) ?? defaultColor(channelId)
    return users.map(({ id: userId }) => ({ userId, channelId, color }))
  })
  const saved = await saveSubscriptions(tx, wanted)
  const result = splitResult(users, channels, saved)

  if (saved.length > 0) {
    await emitVisibilityChanges()
    await emitSubscribed(tx, realm, result.subscribed, saved)
    await emitPeerChanges(tx, realm, result.subscribed, peersAdded)
  }
  return result
}

function splitResult(
  users: readonly User[],
  channels: readonly Channel[],
  saved: readonly Subscription[],
): SubscribeUsersResult {
  const isNew = new Set(saved.map((subscription) => `${subscription.userId} ${subscription.channelId}`))
  const result: SubscribeUsersResult = { subscribed: [], alreadySubscribed: [] }
  for (const channel of channels) {
    for (const user of users) {
      const { subscribed, alreadySubscribed } = result
      ;(isNew.has(`${user.id} ${channel.id}`) ? subscribed : alreadySubscribed).push({ user, channel })
    }
  }
  return result
}

/** Emits to the new subscribers first the channels that they could not see before, then their subscriptions. */
async function emitSubscribed(
  tx: Transaction,
  realm: Realm,
  joined: readonly UserChannelPair[],
  saved: readonly Subscription[],
): Promise<void> {
  const scope = await findMembershipScope(tx.db, { realmId: realm.id, realm }, tx.now)
  const channels = new Map(joined.map(({ channel }) => [channel.id, channel]))
  const activity = await findActivity(tx.db, [...channels.values()], tx.now)
  const json = new Map<number, ChannelJson>()
  for (const [id, channel] of channels) {
    json.set(id, toChannelJson(channel, activity.get(id) ?? newChannelActivity, scope.groups))
  }

  const newlyVisible = joined.filter(({ user, channel }) => !hasMetadataAccess(scope, user, channel, false))
  for (const { userIds, channels } of groupByChannels(newlyVisible)) {
    tx.emit(realm.id, channelsCreated(channels.flatMap((channel) => json.get(channel.id) ?? [])), userIds)
    const ids = channels.map((channel) => channel.id)
    await emitUserTopics(tx, realm.id, ids, userIds)
  }
  const subscribers = await findSubscriberIds(tx.db, [...channels.keys()])
  for (const { userIds, subscriptions, inherited } of groupEqualSubscriptions(joined, saved)) {
    const added = subscriptions.flatMap((subscription) => {
      const channel = json.get(subscription.channelId)
      const peers = [...(subscribers.get(subscription.channelId) ?? [])]
      return channel === undefined ? [] : toSubscriptionJson(subscription, channel, peers)
    })
    tx.emit(realm.id, subscriptionsAdded(added, inherited), userIds)
  }
}

type SubscriberGroup = {
  userIds: number[]
  subscriptions: Omit<Subscription, 'userId'>[]
  inherited: InheritedNotifications
}

/**
 * Groups users whose subscriptions are equal. Subscriptions of users who were never subscribed before are mostly equal.
 */
export function groupEqualSubscriptions(
  joined: readonly UserChannelPair[],
  saved: readonly Subscription[],
): SubscriberGroup[] {
  const users = new Map(joined.map(({ user }) => [user.id, user]))
  const groups = new Map<string, SubscriberGroup>()
  for (const [userId, userSubscriptions] of Map.groupBy(saved, (subscription) => subscription.userId)) {
    const user = users.get(userId)
    if (user === undefined) continue
    const subscriptions = userSubscriptions.map(({ userId: _, ...subscription }) => subscription)
    const inherited = inheritedNotifications(user)
    const key = JSON.stringify([subscriptions, inherited])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { userIds: [userId], subscriptions, inherited })
    else group.userIds.push(userId)
  }
  return [...groups.values()]
}

export const invalidColor = refusal('BAD_REQUEST', 400, 'color is not a valid hex color code', { field: 'color' })
export const tooManyNewChannels = refusal(
  'BAD_REQUEST',
  400,
  'You cannot create more than {most} channels at once. Create fewer channels.',
  { field: 'subscriptions' },
)
export const tooManySubscriptions = refusal(
  'BAD_REQUEST',
  400,
  'You cannot add more than {most} subscriptions at once. Choose fewer people or channels.',
)
export const noAccessToChannel = refusal('BAD_REQUEST', 400, 'Unable to access channel ({name}).', { field: 'name' })

/**
 * The maximum number of channels that one request can create, and the maximum number of subscriptions (users ×
 * channels) that it can add.
 */
const MAX_NEW_CHANNELS = 100
const MAX_SUBSCRIPTIONS = 100_000

/**
 * Subscribes the principals (by default the actor) to channels by name, and creates missing channels. Everything that
 * can be refused is refused before anything is written.
 */
export async function subscribe(tx: Transaction, actor: Actor, request: SubscribeRequest): Promise<SubscribeResult> {
  const users = await requirePrincipals(viewerOf(tx.db, actor, tx.now), request.principals)
  const requests = parseChannelRequests(tx.db, actor, request.channelRequests)
  if (users.length * requests.size > MAX_SUBSCRIPTIONS) throw tooManySubscriptions({ most: MAX_SUBSCRIPTIONS })
  const { existing, missing } = await lockRequestedChannels(tx, actor, requests)
  const viewer = viewerOf(tx.db, actor, tx.now)
  const { joinable, unauthorized } = await splitByAccess(viewer, existing)
  // The actor must not learn that a hidden channel exists. Its name is therefore refused like that of a new channel, if
  // the actor may not create one.
  const isHidden =
    unauthorized.length > 0 && unauthorized.length > (await findVisibleChannels(viewer, users, unauthorized)).size
  const createsChannels = missing.length > 0 || isHidden
  const plan = createsChannels ? await requireNewChannelPlan(viewer, request.newChannels) : null
  const [firstUnauthorized] = unauthorized
  if (firstUnauthorized !== undefined && !request.skipsUnauthorized)
    throw noAccessToChannel({ name: firstUnauthorized.name })
  if (missing.length > 0) await requireMayCreateChannels(tx, actor, missing.length)
  const addsOthers = users.some((user) => user.id !== actor.id)
  if (addsOthers) await requireMaySubscribeOthers(viewer, joinable)
  // Message ids are taken before rows are written: docs/decisions/0002.
  await lockRecipients(tx)

  const created: Channel[] = []
  const colors = new Map<number, string>()
  if (plan !== null) {
    for (const { name, description } of missing) {
      created.push(await createChannel(tx, actor.realm, { ...plan, ...description, name }))
    }
  }
  if (created.length > 0) await requireAllowedNewChannelSize(tx, actor)
  const channels = [...joinable, ...created]
  for (const channel of channels) {
    const color = requests.get(channelNameKey(channel.name))?.color
    if (color !== undefined) colors.set(channel.id, color)
  }
  return { ...(await subscribeUsers(tx, actor.realm, users, channels, colors)), created, unauthorized }
}

async function requireMayCreateChannels(tx: Transaction, actor: Actor, count: number): Promise<void> {
  if (count > MAX_NEW_CHANNELS) throw tooManyNewChannels({ most: MAX_NEW_CHANNELS })
  const limit = tx.db.settings.NEW_CHANNELS_PER_DAY
  if (limit === 0) return
  const creations = { table: 'channels', by: 'creatorId', at: 'createdAt', plural: 'channels' } as const
  await requireBelowDailyLimit(tx.db, actor, creations, { count, limit, now: tx.now })
}

type ParsedRequest = { name: string; description: ReturnType<typeof requireDescription>; color: string | undefined }

/** Returns the requests by `channelNameKey`. If two requests name the same channel, the first one applies. */
function parseChannelRequests(db: Db, actor: Actor, given: readonly ChannelRequest[]): Map<string, ParsedRequest> {
  const requests = new Map<string, ParsedRequest>()
  for (const { name: givenName, description = '', color: givenColor } of given) {
    const name = requireChannelName(givenName)
    const color = givenColor === undefined ? undefined : toColor(givenColor)
    if (color === null) throw invalidColor()
    const request = { name, description: requireDescription(description, actor.realm, db.settings.EXTERNAL_URL), color }
    if (!requests.has(channelNameKey(name))) requests.set(channelNameKey(name), request)
  }
  return requests
}

/**
 * Locks the existing channels against changes to who may join them. If some channels do not exist, all channel names
 * are locked first, so that no other transaction creates such a channel meanwhile.
 */
async function lockRequestedChannels(
  tx: Transaction,
  actor: Actor,
  requests: ReadonlyMap<string, ParsedRequest>,
): Promise<{ existing: Channel[]; missing: ParsedRequest[] }> {
  const names = Array.from(requests.values(), (request) => request.name)
  let found = await lockChannelsByNameKey(tx, actor.realmId, names)
  if (found.size < requests.size) {
    await lockChannelNames(tx, actor.realmId)
    found = await lockChannelsByNameKey(tx, actor.realmId, names)
  }
  const keys = [...requests.keys()]
  return {
    existing: keys.flatMap((key) => found.get(key) ?? []),
    missing: keys.flatMap((key) => (found.has(key) ? [] : (requests.get(key) ?? []))),
  }
}
