import { type Spot, toPeople } from '../messages/narrow.ts'
import { endTyping, noteTyping } from '../messages/typists.ts'
import { knownOrganization } from '../organization.ts'
import type { ServerEvent } from './event.ts'

type Typing = {
  op: 'start' | 'stop'
  sender: { user_id: number }
  recipients?: readonly { user_id: number }[]
  stream_id?: number
  topic?: string
}

/** Somebody begins to type, goes on to, or has stopped. */
export function takeTyping(event: ServerEvent, ownId: number): void {
  const { op, sender, ...where } = event as unknown as Typing
  const spot = spotOfTyping(where, ownId)
  const lifetime = knownOrganization()?.server_typing_started_expiry_period_milliseconds
  if (spot === null || lifetime === undefined || sender.user_id === ownId) return
  if (op === 'start') noteTyping(spot, sender.user_id, lifetime)
  else endTyping(spot, sender.user_id)
}

function spotOfTyping({ recipients, stream_id, topic }: Omit<Typing, 'op' | 'sender'>, ownId: number): Spot | null {
  if (stream_id !== undefined && topic !== undefined) return { kind: 'topic', channelId: stream_id, topic }
  if (recipients === undefined) return null
  const ids = recipients.map(({ user_id }) => user_id)
  return { kind: 'direct', people: toPeople(ids, ownId) }
}
