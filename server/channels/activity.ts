import { SECONDS_PER_DAY } from '#lib/clock.ts'
import { defineCache } from '#storage/cache.ts'
import type { Db } from '#storage/storage.ts'
import type { Channel, ChannelActivity } from './channel.ts'

// The activity of channels: traffic per week, first and newest message. Traffic is an estimate that is cached for an
// hour, because every client fetches it for every channel when it starts.

/** Days for which a channel counts as recently active after its last message or its creation. */
const RECENT_DAYS = 180

/** The maximum number of days over which the weekly average is taken. */
const TRAFFIC_DAYS = 28

const DAYS_IN_WEEK = 7

/** The activity of a channel that was just created. */
export const newChannelActivity: ChannelActivity = { firstMessageId: null, isRecentlyActive: true, weeklyTraffic: null }

/** Returns whether a channel is old enough for an average. */
function hasAverageWeek(ageInSeconds: number): boolean {
  return ageInSeconds >= DAYS_IN_WEEK * SECONDS_PER_DAY
}

/**
 * Returns the average number of messages per week, to two significant digits; null if the channel is too new. `count`
 * is the number of messages in the last TRAFFIC_DAYS days.
 */
function weeklyTraffic(count: number, ageInSeconds: number): number | null {
  if (!hasAverageWeek(ageInSeconds)) return null
  const days = Math.min(TRAFFIC_DAYS, Math.floor(ageInSeconds / SECONDS_PER_DAY))
  return Number(Math.floor((count * DAYS_IN_WEEK) / days).toPrecision(2))
}

const SECONDS_PER_HOUR = 3600

type Counts = ReadonlyMap<number, number>

/**
 * The number of messages in each channel of an organization, in the TRAFFIC_DAYS days before the start of an hour. The
 * numbers are estimates and may be out of date.
 */
const countsByHour = defineCache<string, Counts>({
  dependsOn: [],
  limit: 1000,
  async load(db, key) {
    const [realmId, hour] = key.split(' ').map(Number) as [number, number]
    const since = hour * SECONDS_PER_HOUR - TRAFFIC_DAYS * SECONDS_PER_DAY
    const before = await db
      .selectFrom('messages')
      .select('id')
      .where('realmId', '=', realmId)
      .where('sentAt', '<', since)
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst()
    const rows = await db
      .selectFrom('messages')
      .select(({ fn }) => ['channelId', fn.countAll<number>().as('count')])
      .where('realmId', '=', realmId)
      .where('id', '>', before?.id ?? 0)
      .where('channelId', 'is not', null)
      .groupBy('channelId')
      .execute()
    return new Map(rows.map((row) => [row.channelId as number, Number(row.count)]))
  },
})

/** Returns the activity of the channels. All of them must belong to one organization. */
export async function findActivity(
  db: Db,
  channels: readonly Channel[],
  now: number,
): Promise<Map<number, ChannelActivity>> {
  if (channels.length === 0) return new Map()
  const firstAndLast = await findFirstAndLast(db, channels)
  const oldEnough = channels.find((channel) => hasAverageWeek(now - channel.createdAt))
  const hour = Math.floor(now / SECONDS_PER_HOUR)
  const counts: Counts =
    oldEnough === undefined ? new Map() : await countsByHour.get(db, `${oldEnough.realmId} ${hour}`)
  return new Map(
    channels.map((channel) => {
      const { firstId, lastSentAt } = firstAndLast.get(channel.id) ?? { firstId: null, lastSentAt: null }
      const usedAt = Math.max(lastSentAt ?? 0, channel.createdAt)
      return [
        channel.id,
        {
          firstMessageId: firstId,
          isRecentlyActive: usedAt >= now - RECENT_DAYS * SECONDS_PER_DAY,
          weeklyTraffic: weeklyTraffic(counts.get(channel.id) ?? 0, now - channel.createdAt),
        },
      ]
    }),
  )
}

type FirstAndLast = { firstId: number | null; lastSentAt: number | null }

/**
 * Returns the id of the oldest message and the time of the newest message in each channel. It takes two index lookups
 * per channel.
 */
async function findFirstAndLast(db: Db, channels: readonly Channel[]): Promise<Map<number, FirstAndLast>> {
  const rows = await db
    .selectFrom('channels')
    .select(({ selectFrom }) => {
      const inChannel = selectFrom('messages').whereRef('channelId', '=', 'channels.id')
      return [
        'channels.id',
        inChannel.select(({ fn }) => fn.min<number>('messages.id').as('first')).as('firstId'),
        inChannel.select('sentAt').orderBy('messages.id', 'desc').limit(1).as('lastSentAt'),
      ]
    })
    .where(
      'channels.id',
      'in',
      channels.map((channel) => channel.id),
    )
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}
