import type { LoggedEvent } from './queue.ts'
import { readStoredJson } from './read-stored-json.ts'

type Row = { id: number; type: string; payload: string; audience: string }

/**
 * Returns the event of a row of the log. If the row cannot be read, the event has no audience, and `fault` holds the
 * reason.
 */
export function readEvent({ id, type, payload, audience }: Row): LoggedEvent {
  const [fields, userIds] = [readStoredJson(payload), readStoredJson(audience)]
  if (!isPayload(fields, type)) return { ...unreadable(id, type), fault: 'The payload is not an event of its type' }
  if (!Array.isArray(userIds)) return { ...unreadable(id, type), fault: 'The audience is not a list' }
  return { id, type, payload: fields, audience: new Set(userIds), size: payload.length }
}

const unreadable = (id: number, type: string) => ({ id, type, payload: {}, audience: new Set<number>(), size: 0 })

function isPayload(value: unknown, type: string): value is LoggedEvent['payload'] {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === type
}
