import type { AnswerOf } from '../../api/types.ts'
import { type Spot, toPeople } from './narrow.ts'

/** What is not read at one spot, ascending. */
export type UnreadSpot = { readonly spot: Spot; readonly ids: readonly number[] }

/** All that is not read, by its spot, and which of it mentions one. */
export type Unread = {
  readonly spots: ReadonlyMap<string, UnreadSpot>
  readonly mentions: ReadonlySet<number>
}

export const NOTHING_UNREAD: Unread = { spots: new Map(), mentions: new Set() }

/** What tells spots apart. */
export const keyOfSpot = (spot: Spot): string =>
  spot.kind === 'topic' ? `topic ${spot.channelId} ${spot.topic.toLowerCase()}` : `direct ${spot.people}`

/** What `register` tells of. */
export function readUnread(json: NonNullable<AnswerOf<'POST /register'>['unread_msgs']>, ownId: number): Unread {
  const told: UnreadSpot[] = [
    ...json.streams.map(({ stream_id, topic, unread_message_ids }) => ({
      spot: { kind: 'topic' as const, channelId: stream_id, topic },
      ids: unread_message_ids,
    })),
    ...json.pms.map(({ other_user_id, unread_message_ids }) => ({
      spot: { kind: 'direct' as const, people: toPeople([other_user_id], ownId) },
      ids: unread_message_ids,
    })),
    ...json.huddles.map(({ user_ids_string, unread_message_ids }) => ({
      spot: { kind: 'direct' as const, people: toPeople(user_ids_string.split(',').map(Number), ownId) },
      ids: unread_message_ids,
    })),
  ]
  return { spots: new Map(told.map((one) => [keyOfSpot(one.spot), one])), mentions: new Set(json.mentions) }
}

/** With a message that is not read at a spot. */
export function withUnread(unread: Unread, id: number, spot: Spot, mentionsOne: boolean): Unread {
  const before = withoutUnread(unread, [id])
  const key = keyOfSpot(spot)
  const ids = [...(before.spots.get(key)?.ids ?? []), id].sort((one, other) => one - other)
  return {
    spots: new Map(before.spots).set(key, { spot, ids }),
    mentions: mentionsOne ? new Set(before.mentions).add(id) : before.mentions,
  }
}

/** Without the messages: they are read, or gone. */
export function withoutUnread(unread: Unread, ids: readonly number[]): Unread {
  const gone = new Set(ids)
  const spots = new Map<string, UnreadSpot>()
  let isChanged = false
  for (const [key, one] of unread.spots) {
    const left = one.ids.filter((id) => !gone.has(id))
    if (left.length !== one.ids.length) isChanged = true
    if (left.length > 0) spots.set(key, left.length === one.ids.length ? one : { ...one, ids: left })
  }
  if (!isChanged) return unread
  return { spots, mentions: new Set([...unread.mentions].filter((id) => !gone.has(id))) }
}

/** With those of the messages that are not read at another spot. */
export function withMoved(unread: Unread, ids: readonly number[], to: (from: Spot) => Spot): Unread {
  let moved = unread
  for (const id of ids) {
    const found = [...moved.spots.values()].find((one) => one.ids.includes(id))
    if (found !== undefined) moved = withUnread(moved, id, to(found.spot), moved.mentions.has(id))
  }
  return moved
}

/** With a message that mentions one, or does so no more, where it is not read. */
export function withMention(unread: Unread, id: number, mentionsOne: boolean): Unread {
  if (unread.mentions.has(id) === mentionsOne) return unread
  if (![...unread.spots.values()].some(({ ids }) => ids.includes(id))) return unread
  const mentions = new Set(unread.mentions)
  if (mentionsOne) mentions.add(id)
  else mentions.delete(id)
  return { ...unread, mentions }
}

/** How much is not read, and how much of it mentions one. */
export type Count = { readonly messages: number; readonly mentions: number }

const NONE: Count = { messages: 0, mentions: 0 }

export type UnreadCounts = {
  /** By the keys of spots. */
  readonly spots: ReadonlyMap<string, Count>
  /** By channel. What is muted counts only where it mentions one, as it does in `all`. */
  readonly channels: ReadonlyMap<number, Count>
  readonly all: Count
  readonly mentions: number
}

/** Counts what is not read in channels that one is in, and in conversations. */
export function countUnread(
  { spots, mentions }: Unread,
  isIn: (channelId: number) => boolean,
  isMuted: (channelId: number, topic: string) => boolean,
): UnreadCounts {
  const bySpot = new Map<string, Count>()
  const channels = new Map<number, Count>()
  let all = NONE
  for (const [key, { spot, ids }] of spots) {
    if (spot.kind === 'topic' && !isIn(spot.channelId)) continue
    const count = { messages: ids.length, mentions: ids.filter((id) => mentions.has(id)).length }
    bySpot.set(key, count)
    const isQuiet = spot.kind === 'topic' && isMuted(spot.channelId, spot.topic)
    const counted = isQuiet ? { messages: count.mentions, mentions: count.mentions } : count
    if (spot.kind === 'topic') channels.set(spot.channelId, sum(channels.get(spot.channelId) ?? NONE, counted))
    all = sum(all, counted)
  }
  return { spots: bySpot, channels, all, mentions: all.mentions }
}

const sum = (one: Count, other: Count): Count => ({
  messages: one.messages + other.messages,
  mentions: one.mentions + other.mentions,
})
