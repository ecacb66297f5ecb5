import { call } from '../../api/call.ts'

/** `web_mark_read_on_scroll_policy` of the API: where messages are marked as read once they are seen. */
export const ReadPolicy = { always: 1, conversations: 2, never: 3 } as const

/** How long what is seen is gathered before the server is told, in milliseconds. */
const PAUSE = 500

/** How many messages are told of in one call. */
const MAX_IDS_PER_REQUEST = 1000

const seen = new Set<number>()
const events = new Set<number>()
const keptUnread = new Set<number>()
let timer: ReturnType<typeof setTimeout> | undefined

/** Has the server told soon, together with others, that the messages are read. What fails is told when it is seen again. */
export function markSeen(ids: readonly number[]): void {
  for (const id of ids) if (!events.has(id) && !keptUnread.has(id)) seen.add(id)
  if (seen.size > 0 && timer === undefined) timer = setTimeout(() => void tellSeen(), PAUSE)
}

/** Leaves messages unread that one marked so, though one sees them, until `releaseUnread`. */
export function holdUnread(ids: readonly number[]): void {
  for (const id of ids) {
    keptUnread.add(id)
    seen.delete(id)
  }
}

/** Has messages read again once they are seen: one has gone elsewhere meanwhile. */
export const releaseUnread = (): void => keptUnread.clear()

async function tellSeen(): Promise<void> {
  timer = undefined
  const ids = [...seen]
  seen.clear()
  await markRead(ids).catch(() => {})
}

/** Tells the server that the messages are read; rejects with `ApiError`. Its event changes what is shown. */
export async function markRead(ids: readonly number[]): Promise<void> {
  for (const id of ids) events.add(id)
  try {
    await tell(ids, 'add')
  } finally {
    for (const id of ids) events.delete(id)
  }
}

/** Tells the server that the messages are not read, and leaves them so though one sees them; rejects with `ApiError`. */
export async function markUnread(ids: readonly number[]): Promise<void> {
  holdUnread(ids)
  await tell(ids, 'remove')
}

async function tell(ids: readonly number[], op: 'add' | 'remove'): Promise<void> {
  for (let at = 0; at < ids.length; at += MAX_IDS_PER_REQUEST)
    await call('POST /messages/flags', { messages: ids.slice(at, at + MAX_IDS_PER_REQUEST), op, flag: 'read' })
}
