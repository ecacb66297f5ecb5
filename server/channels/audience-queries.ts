import type { Candidate } from '#groups/membership.ts'
import { isGuest, Role } from '#rules/role.ts'
import { defineCache, replaceById } from '#storage/cache.ts'
import { idsIn, sortedList } from '#storage/json-list.ts'
import { defineQuery } from '#storage/prepared-query.ts'
import type { Db } from '#storage/storage.ts'

/** The active accounts of an organization, including bots. All lists are ordered by id. */
export type ActiveUsers = {
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
  isBypassedInTransactions: true,
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
