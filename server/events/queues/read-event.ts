import type { LoggedEvent } from './queue.ts'
import { readStoredJson } from './read-stored-json.ts'

type Row = { id: number; type: string; payload: string; audience: string }

/** The event that a row of the log holds. One that cannot be read is for nobody, and says in `fault` what is wrong. */
export function readEvent({ id, type, payload, audience }: Row): LoggedEvent {
  const [what, whom] = [readStoredJson(payload), readStoredJson(audience)]
  if (!isPayload(what, type)) return { ...unreadable(id, type), fault: 'The payload is no event of its type' }
  if (!Array.isArray(whom)) return { ...unreadable(id, type), fault: 'The audience is no list' }
  return { id, type, payload: what, audience: new Set(whom), size: payload.length }
}

const unreadable = (id: number, type: string) => ({ id, type, payload: {}, audience: new Set<number>(), size: 0 })

function isPayload(value: unknown, type: string): value is LoggedEvent['payload'] {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === type
}
