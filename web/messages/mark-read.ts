import { call } from '../api/call.ts'
import { type Narrow, toTerms } from './narrow.ts'

/** Values of `web_mark_read_on_scroll_policy` of the API: the views in which visible messages are marked as read. */
export const ReadPolicy = { always: 1, conversations: 2, never: 3 } as const

/** The time for which visible messages are collected before the server is called, in milliseconds. */
const PAUSE = 500

/** The maximum number of messages in one call. */
const MAX_IDS_PER_REQUEST = 1000

const seen = new Set<number>()
const pending = new Set<number>()
const keptUnread = new Set<number>()

/**
 * Marks visible messages as read on the server within `PAUSE`, together with other messages. A failed call is not
 * repeated, but the messages are marked when they are visible again.
 */
export function markSeen(ids: readonly number[]): void {
  const wanted = ids.filter((id) => !pending.has(id) && !keptUnread.has(id))
  if (seen.size === 0 && wanted.length > 0) setTimeout(() => void sendSeen(), PAUSE)
  for (const id of wanted) seen.add(id)
}

/**
 * Keeps messages that the user has marked as unread from being marked as read while they are visible, until
 * `releaseUnread` is called.
 */
export function holdUnread(ids: readonly number[]): void {
  for (const id of ids) {
    keptUnread.add(id)
    seen.delete(id)
  }
}

/** Allows the messages of `holdUnread` to be marked as read again, after the user has left the view. */
export const releaseUnread = (): void => keptUnread.clear()

async function sendSeen(): Promise<void> {
  const ids = [...seen]
  seen.clear()
  await markRead(ids).catch(() => {})
}

/** Marks the messages as read on the server. The event of this change updates the page. Rejects with `ApiError`. */
export async function markRead(ids: readonly number[]): Promise<void> {
  for (const id of ids) pending.add(id)
  try {
    await sendFlags(ids, 'add')
  } finally {
    for (const id of ids) pending.delete(id)
  }
}

/** Marks the messages as unread on the server, and keeps them unread while visible. Rejects with `ApiError`. */
export async function markUnread(ids: readonly number[]): Promise<void> {
  holdUnread(ids)
  await sendFlags(ids, 'remove')
}

/**
 * Marks the messages of a narrow as unread, from the message `id` on, or all of them if it is null. Returns the id of
 * the last one. Rejects with `ApiError`.
 */
export async function markUnreadFrom(narrow: Narrow, id: number | null, ownId: number): Promise<number> {
  const range = { num_before: 0, num_after: MAX_IDS_PER_REQUEST, op: 'remove', flag: 'read' } as const
  const change = { ...range, narrow: toTerms(narrow, ownId) }
  const anchor = id === null ? 'oldest' : String(id)
  let answer = await call('POST /messages/flags/narrow', { ...change, anchor, include_anchor: true })
  let last = answer.last_processed_id ?? 0
  while (!answer.found_newest && answer.last_processed_id !== null) {
    answer = await call('POST /messages/flags/narrow', { ...change, anchor: String(last), include_anchor: false })
    last = answer.last_processed_id ?? last
  }
  return last
}

async function sendFlags(ids: readonly number[], op: 'add' | 'remove'): Promise<void> {
  for (let at = 0; at < ids.length; at += MAX_IDS_PER_REQUEST)
    await call('POST /messages/flags', { messages: ids.slice(at, at + MAX_IDS_PER_REQUEST), op, flag: 'read' })
}
