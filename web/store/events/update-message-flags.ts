import { holdUnread } from '../messages/mark-read.ts'
import { refreshTimelines, removeMessages, updateMessages, updateTimelines } from '../messages/messages.ts'
import { type ConversationRef, toParticipants } from '../messages/narrow.ts'
import { NOTHING_UNREAD, type Unread, withoutUnread, withUnread } from '../messages/unread.ts'
import { updateUnread } from '../messages/unread-messages.ts'
import type { ServerEvent } from './event.ts'

type Details = { type: string; mentioned?: boolean; user_ids?: number[]; stream_id?: number; topic?: string }

type FlagsUpdate = {
  op: 'add' | 'remove'
  flag: string
  messages: number[]
  all: boolean
  message_details?: Record<string, Details>
}

/** A flag was set on messages of one's own, or taken from them. */
export function applyMessageFlags(event: ServerEvent, ownId: number): void {
  const { op, flag, messages, all } = event as unknown as FlagsUpdate
  const ids = all ? knownIds() : messages
  if (flag === 'read' && op === 'remove') holdUnread(ids)
  updateMessages(ids, (message) => {
    const others = message.flags.filter((one) => one !== flag)
    return { ...message, flags: op === 'add' ? [...others, flag] : others }
  })
  if (flag === 'read') updateUnread((unread) => withRead(unread, event as unknown as FlagsUpdate, ownId))
  if (flag !== 'starred') return
  if (op === 'add') refreshTimelines(({ kind }) => kind === 'starred')
  else removeMessages(({ id }, { kind }) => kind === 'starred' && messages.includes(id))
}

function withRead(unread: Unread, { op, messages, all, message_details = {} }: FlagsUpdate, ownId: number): Unread {
  if (op === 'add') return all ? NOTHING_UNREAD : withoutUnread(unread, messages)
  return Object.entries(message_details).reduce(
    (unread, [id, details]) => withUnread(unread, Number(id), toSpot(details, ownId), details.mentioned ?? false),
    unread,
  )
}

const toSpot = ({ stream_id, topic = '', user_ids = [] }: Details, ownId: number): ConversationRef =>
  stream_id === undefined
    ? { kind: 'direct', people: toParticipants(user_ids, ownId) }
    : { kind: 'topic', channelId: stream_id, topic }

function knownIds(): number[] {
  const ids: number[] = []
  updateTimelines((known) => {
    ids.push(...known.messages.map(({ id }) => id))
    return known
  })
  return ids
}
