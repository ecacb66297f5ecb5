import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { Clock } from '#lib/clock.ts'
import { findFirstIdSince } from '#messages/queries.ts'
import type { Db } from '#storage/storage.ts'
import { findActivityRows, type TopicActivity } from './digest-queries.ts'

/**
 * The messages that people sent to the channels of an organization since some time. The digests of all its users share
 * it.
 */
export type ChannelActivity = {
  /** Returns the id of the first of these messages that was sent at or after `time`; null if there is none. */
  findFirstId(time: number): number | null
  /**
   * Counts the messages by topic, from the message `firstId` on. Leaves out messages of the users in `withoutSenders`.
   */
  countTopics(channelIds: Iterable<number>, firstId: number, withoutSenders: ReadonlySet<number>): TopicActivity[]
}

/** The number of messages that one query reads. */
const BATCH = 5000

/** The ids of messages by sender, in ascending order. */
type IdsBySender = Map<number, number[]>

/** Reads the messages that people have sent to the organization's channels since this time. */
export async function loadChannelActivity(db: Db, realmId: number, since: number): Promise<ChannelActivity> {
  const ids: number[] = []
  const times: number[] = []
  const topicsByChannel = new Map<number, Map<string, IdsBySender>>()
  let nextId = await findFirstIdSince(db, realmId, since)
  while (nextId !== null) {
    const rows = await findActivityRows(db, realmId, nextId, BATCH)
    for (const { id, channelId, topicKey, senderId, sentAt } of rows) {
      ids.push(id)
      times.push(sentAt)
      const topics = entryOf(topicsByChannel, channelId, () => new Map<string, IdsBySender>())
      const senders = entryOf(topics, topicKey, () => new Map<number, number[]>())
      entryOf(senders, senderId, () => []).push(id)
    }
    nextId = rows.length < BATCH ? null : (ids.at(-1) ?? 0) + 1
    await yieldToOthers()
  }
  return {
    findFirstId: (time) => ids[findIndexFrom(times, time)] ?? null,
    countTopics: (channelIds, firstId, withoutSenders) =>
      [...channelIds].flatMap((channelId) =>
        [...(topicsByChannel.get(channelId) ?? [])].flatMap(([topicKey, senders]) => {
          const activity = countTopic(senders, firstId, withoutSenders)
          return activity.messages === 0 ? [] : [{ channelId, topicKey, ...activity }]
        }),
      ),
  }
}

function countTopic(senders: IdsBySender, firstId: number, withoutSenders: ReadonlySet<number>) {
  let [messages, people, lastId] = [0, 0, 0]
  for (const [senderId, ids] of senders) {
    const count = ids.length - findIndexFrom(ids, firstId)
    if (count === 0 || withoutSenders.has(senderId)) continue
    messages += count
    people += 1
    lastId = Math.max(lastId, ids.at(-1) ?? 0)
  }
  return { messages, people, lastId }
}

/** Returns the index of the first number that is at least `least`, or the length of the list if there is none. */
function findIndexFrom(ascending: readonly number[], least: number): number {
  let [low, high] = [0, ascending.length]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if ((ascending[middle] ?? 0) < least) low = middle + 1
    else high = middle
  }
  return low
}

function entryOf<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const found = map.get(key)
  if (found !== undefined) return found
  const created = create()
  map.set(key, created)
  return created
}

/**
 * The maximum time that a digest covers, in seconds. A digest covers the time since the user was active or got the last
 * digest.
 */
export const MAX_PERIOD = 7 * 86_400

/** Seconds for which the activity of an organization is reused. */
const KEPT_FOR = 600

/** Returns the messages that people sent to the channels of an organization since some time. */
export type FindChannelActivity = (db: Db, realmId: number, since: number) => Promise<ChannelActivity>

/**
 * Returns a function that reuses the activity of the last organization for ten minutes, and then releases its memory.
 * This helps because the digests of one organization are sent in a row.
 */
export function keepChannelActivity(clock: Clock): FindChannelActivity {
  let kept: { realmId: number; since: number; activity: Promise<ChannelActivity>; cancelRelease(): void } | null = null

  return (db, realmId, since) => {
    if (kept?.realmId === realmId && kept.since <= since) return kept.activity
    const now = clock.now()
    // An email that could not be sent for some time covers a longer period than a week.
    const start = Math.min(since, now - MAX_PERIOD)
    const activity = loadChannelActivity(db, realmId, start)
    const release = () => {
      if (kept?.activity === activity) kept = null
    }
    // The timer of a replaced activity would keep it in memory.
    kept?.cancelRelease()
    kept = { realmId, since: start, activity, cancelRelease: clock.schedule(now + KEPT_FOR, release) }
    activity.catch(release)
    return activity
  }
}
