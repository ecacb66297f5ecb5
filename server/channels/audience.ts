import { type Candidate, findMembershipScope, type MembershipScope } from '#groups/viewer.ts'
import type { Realm } from '#realms/realm.ts'
import { hasMetadataAccess } from '#rules/permissions.ts'
import { isGuest, Role } from '#rules/role.ts'
import { defineCache, replaceById } from '#storage/cache.ts'
import { defineQuery, idsIn, sortedList } from '#storage/sql.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import type { Channel, ChannelJson } from './channel.ts'
import type { InheritedNotifications, SubscriptionJson, UserChannelPair } from './subscriptions.ts'

// The users who may see a channel, its subscribers, and the events about channels and subscriptions. An event about a
// private channel reaches only those who may see it, and each of them once.

/** The active accounts of an organization, including bots. All lists are ordered by id. */
type ActiveUsers = {
  all: readonly Candidate[]
  ids: readonly number[]
  guests: readonly Candidate[]
  /** The ids of all these accounts except guests. */
  memberIds: readonly number[]
}

const activeUsersOfRealm = defineCache<number, ActiveUsers>({
  dependsOn: ['users'],
  limit: 200,
  load: async (db, realmId) => toActiveUsers(await activeUserRows(db, realmId).execute()),
  async update(db, realmId, before, userIds) {
    const rows = await activeUsersWithin(db, realmId, JSON.stringify(userIds))
    const all = replaceById(before.all, userIds, rows, (person) => person.id, isSameCandidate)
    return all === before.all ? before : toActiveUsers(all)
  },
})

const activeUserRows = (db: Db, realmId: number) =>
  db
    .selectFrom('users')
    .select(['id', 'role', 'joinedAt'])
    .where('realmId', '=', realmId)
    .where('deactivatedAt', 'is', null)
    .orderBy('id')

const activeUsersWithin = defineQuery((db, realmId: number, userIds: string) =>
  activeUserRows(db, realmId).where('id', 'in', idsIn(db.dialect, userIds)),
)

function toActiveUsers(all: readonly Candidate[]): ActiveUsers {
  const idsOf = (people: readonly Candidate[]) => people.map((person) => person.id)
  const memberIds = idsOf(all.filter((person) => !isGuest(person)))
  return { all, ids: idsOf(all), guests: all.filter(isGuest), memberIds }
}

const isSameCandidate = (one: Candidate, other: Candidate) => one.role === other.role && one.joinedAt === other.joinedAt

export function findActiveUsers(db: Db, realmId: number): ActiveUsers | Promise<ActiveUsers> {
  return activeUsersOfRealm.get(db, realmId)
}

/** The ids of the active subscribers, in ascending order, by channel id. */
type SubscriberIds = ReadonlyMap<number, ReadonlySet<number>>

const subscriberRows = (db: Db, channelIds: readonly number[]) =>
  db
    .selectFrom('subscriptions')
    .innerJoin('users', 'users.id', 'subscriptions.userId')
    .select(['channelId', 'userId'])
    .where('channelId', 'in', channelIds)
    .where('unsubscribedAt', 'is', null)
    .where('users.deactivatedAt', 'is', null)
    .orderBy('userId')

const byChannel = (rows: readonly { channelId: number; userId: number }[]): SubscriberIds => {
  const subscribers = new Map<number, Set<number>>()
  for (const { channelId, userId } of rows) {
    const userIds = subscribers.get(channelId)
    if (userIds === undefined) subscribers.set(channelId, new Set([userId]))
    else userIds.add(userId)
  }
  return subscribers
}

const subscriberList = defineQuery((db, channelId: number) =>
  db.selectFrom(subscriberRows(db, [channelId]).as('subscribers')).select(sortedList(db, 'userId').as('ids')),
)

const subscribersWithin = defineQuery((db, channelId: number, userIds: string) =>
  subscriberRows(db, [channelId]).where('userId', 'in', idsIn(db.dialect, userIds)),
)

const channelSubscribers = defineCache<number, readonly number[]>({
  dependsOn: ['subscriptions', 'users'],
  isBypassedInTransactions: 'without the message ids',
  limit: 200,
  async load(db, channelId) {
    const [row] = await subscriberList(db, channelId)
    return JSON.parse(row?.ids ?? '[]')
  },
  async update(db, channelId, before, userIds) {
    const rows = await subscribersWithin(db, channelId, JSON.stringify(userIds))
    const subscriberIds = rows.map((row) => row.userId)
    return replaceById(before, userIds, subscriberIds, (id) => id)
  },
})

/** Returns the ids of the channel's active subscribers, in ascending order. */
export const findChannelSubscriberIds = channelSubscribers.get

/** Returns the active subscribers of each channel. A channel without subscribers is not in the map. */
export async function findSubscriberIds(db: Db, channelIds: readonly number[]): Promise<SubscriberIds> {
  return byChannel(await subscriberRows(db, channelIds).execute())
}

/** Returns the number of active subscribers of each channel. A channel without subscribers is not in the map. */
export async function countSubscribers(db: Db, channelIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const rows = await db
    .selectFrom('subscriptions')
    .innerJoin('users', 'users.id', 'subscriptions.userId')
    .select(({ fn }) => ['channelId', fn.countAll<number | string>().as('count')])
    .where('channelId', 'in', idsIn(db.dialect, JSON.stringify(channelIds)))
    .where('unsubscribedAt', 'is', null)
    .where('users.deactivatedAt', 'is', null)
    .groupBy('channelId')
    .execute()
  return new Map(rows.map(({ channelId, count }) => [channelId, Number(count)]))
}

/**
 * Returns all active subscribers of the channels in `allOf`, and those of the channels in `guestsOf` who are guests.
 * Runs no query if both lists are empty.
 */
export async function findSubscribersAmong(
  db: Db,
  { allOf, guestsOf }: { allOf: readonly number[]; guestsOf: readonly number[] },
): Promise<SubscriberIds> {
  if (allOf.length + guestsOf.length === 0) return new Map()
  const rows = await subscriberRows(db, [...allOf, ...guestsOf])
    .where((expression) =>
      expression.or([expression('channelId', 'in', allOf), expression('users.role', '=', Role.guest)]),
    )
    .execute()
  return byChannel(rows)
}

const noSubscribers: ReadonlySet<number> = new Set()

/** User ids in ascending order. Channels with the same audience may share one array. */
type Audience = readonly number[]

/**
 * Returns the users who may see each of the channels now, by channel id. Subscriptions are read only for channels where
 * they make a difference.
 */
export async function findAudiences(
  db: Db,
  realm: Realm,
  channels: readonly Channel[],
  now: number,
): Promise<Map<number, Audience>> {
  const scope = await findMembershipScope(db, { realmId: realm.id, realm }, now)
  const people = await findActiveUsers(db, realm.id)
  const hasGuests = people.memberIds.length < people.ids.length
  const idsOf = (chosen: readonly Channel[]) => chosen.map((channel) => channel.id)
  const subscribers = await findSubscribersAmong(db, {
    allOf: idsOf(channels.filter((channel) => channel.isPrivate)),
    guestsOf: hasGuests ? idsOf(channels.filter((channel) => !channel.isPrivate && !channel.isWebPublic)) : [],
  })
  return new Map(
    channels.map((channel) => [
      channel.id,
      audienceOf(scope, people, channel, subscribers.get(channel.id) ?? noSubscribers),
    ]),
  )
}

/** Returns the users who may see the channel now. */
export async function findAudience(db: Db, realm: Realm, channel: Channel, now: number): Promise<Audience> {
  return (await findAudiences(db, realm, [channel], now)).get(channel.id) ?? []
}

function audienceOf(
  scope: MembershipScope,
  people: ActiveUsers,
  channel: Channel,
  subscribers: ReadonlySet<number>,
): Audience {
  if (channel.isWebPublic) return people.ids
  if (!channel.isPrivate && subscribers.size === 0) return people.memberIds
  return people.all
    .filter((person) => hasMetadataAccess(scope, person, channel, subscribers.has(person.id)))
    .map((person) => person.id)
}

export const channelsCreated = (streams: readonly ChannelJson[]) => ({ type: 'stream', op: 'create', streams }) as const

/** Returns the event for users who can no longer see the channels. The channels may still exist for others. */
export const channelsDeleted = (ids: readonly number[]) =>
  ({ type: 'stream', op: 'delete', streams: ids.map((id) => ({ stream_id: id })), stream_ids: ids }) as const

/** Returns the event for a changed property. `extras` are other fields that change with it. */
export const channelChanged = (
  channel: Pick<Channel, 'id' | 'name'>,
  property: keyof ChannelJson,
  value: unknown,
  extras: Partial<Pick<ChannelJson, 'rendered_description' | 'history_public_to_subscribers' | 'is_web_public'>> & {
    restored?: ChannelJson
  } = {},
) => ({ type: 'stream', op: 'update', property, value, stream_id: channel.id, name: channel.name, ...extras }) as const

export const defaultChannelsChanged = (ids: readonly number[]) =>
  ({ type: 'default_streams', default_streams: ids }) as const

/** Returns the event about users who have subscribed to the channels, for all users who may see the channels. */
export const peersAdded = (channelIds: readonly number[], userIds: readonly number[]) =>
  ({ type: 'subscription', op: 'peer_add', stream_ids: channelIds, user_ids: userIds }) as const

/**
 * Returns the event for users who are now subscribed to the channels. `inherited` contains the users' own notification
 * settings, which apply where a subscription has none.
 */
export const subscriptionsAdded = (subscriptions: readonly SubscriptionJson[], inherited: InheritedNotifications) =>
  ({ type: 'subscription', op: 'add', subscriptions, inherited }) as const

/** Returns the event for users who are no longer subscribed to the channels. */
export const subscriptionsRemoved = (channels: readonly Channel[]) =>
  ({
    type: 'subscription',
    op: 'remove',
    subscriptions: channels.map((channel) => ({ name: channel.name, stream_id: channel.id })),
  }) as const

/** Returns the event about users who have unsubscribed from the channels, for all users who may see the channels. */
export const peersRemoved = (channelIds: readonly number[], userIds: readonly number[]) =>
  ({ type: 'subscription', op: 'peer_remove', stream_ids: channelIds, user_ids: userIds }) as const

/**
 * Returns the event for a user who changed a property of their subscription. The event is marked if the channel is
 * archived.
 */
export const subscriptionChanged = (
  channel: { id: number; isArchived: boolean },
  property: string,
  value: boolean | string | null,
) =>
  ({
    type: 'subscription',
    op: 'update',
    property,
    value,
    stream_id: channel.id,
    ...(channel.isArchived && { is_archived: true as const }),
  }) as const

/** Channels that have the same audience. */
type ChannelAudience = { audience: Audience; channelIds: number[] }

/** Channels that the same users joined or left. */
type PeerChange = { channelIds: number[]; userIds: number[] }

/**
 * Emits which users joined or left the channels, to all other users who may see these channels. Equal changes to public
 * channels share one event; each private channel gets its own. `recipients` limits the audience, if given.
 */
export async function emitPeerChanges(
  tx: Transaction,
  realm: Realm,
  pairs: readonly UserChannelPair[],
  toEvent: typeof peersAdded | typeof peersRemoved,
  recipients?: ReadonlySet<number>,
): Promise<void> {
  const peers = Map.groupBy(pairs, ({ channel }) => channel.id)
  const channels = [...peers.values()].flatMap(([pair]) => pair?.channel ?? []).sort((one, other) => one.id - other.id)
  const audiences = await findAudiences(tx.db, realm, channels, tx.now)
  for (const { audience, channelIds: sharedIds } of findChannelAudiences(channels, audiences)) {
    for (const { channelIds, userIds } of groupChanges(sharedIds, peers)) {
      const themselves = new Set(userIds)
      const others = audience.filter((id) => !themselves.has(id) && (recipients?.has(id) ?? true))
      if (others.length > 0) tx.emit(realm.id, toEvent(channelIds, userIds), others)
    }
  }
}

function findChannelAudiences(
  channels: readonly Channel[],
  audiences: ReadonlyMap<number, Audience>,
): ChannelAudience[] {
  const all = channels.map(({ id }) => ({ audience: audiences.get(id) ?? [], channelIds: [id] }))
  const isPublic = (_: ChannelAudience, at: number) => channels[at]?.isPrivate === false
  const ofPrivate = all.filter((one, at) => !isPublic(one, at))
  return [...mergeAudiences(all.filter(isPublic)), ...ofPrivate]
}

/** Regroups the audiences, so that each user is in only one of them. */
function mergeAudiences(all: readonly ChannelAudience[]): ChannelAudience[] {
  const byAudience = Map.groupBy(all, ({ audience }) => audience)
  const distinct = [...byAudience].map(([audience, equal]) => ({ audience, channelIds: idsOf(equal) }))
  if (distinct.length < 2) return distinct
  const indexesOfUser = new Map<number, string>()
  for (const [index, { audience }] of distinct.entries())
    for (const id of audience) indexesOfUser.set(id, `${indexesOfUser.get(id) ?? ''} ${index}`)
  return [...Map.groupBy(indexesOfUser.keys(), (id) => indexesOfUser.get(id) ?? '')].map(([indexes, audience]) => ({
    audience,
    channelIds: idsOf(
      indexes
        .trim()
        .split(' ')
        .flatMap((index) => distinct[Number(index)] ?? []),
    ),
  }))
}

const idsOf = (all: readonly ChannelAudience[]) => all.flatMap(({ channelIds }) => channelIds).sort(ascending)

function groupChanges(
  channelIds: readonly number[],
  peers: ReadonlyMap<number, readonly UserChannelPair[]>,
): PeerChange[] {
  const changes = new Map<string, PeerChange>()
  for (const channelId of channelIds) {
    const userIds = (peers.get(channelId) ?? []).map(({ user }) => user.id).sort(ascending)
    const equal = changes.get(userIds.join())
    if (equal === undefined) changes.set(userIds.join(), { channelIds: [channelId], userIds })
    else equal.channelIds.push(channelId)
  }
  return [...changes.values()]
}

const ascending = (one: number, other: number) => one - other
