import type { Answer } from './wire.ts'
import type { Person } from './world.ts'

/** Reads the queue: returns the events since the last call, oldest first, without their ids. */
export type EventReader = () => Promise<Answer['body'][]>

/** Registers an event queue for events of these types. */
export async function listen(person: Person, types: readonly string[], params: object = {}): Promise<EventReader> {
  const { queue_id, last_event_id } = await person.succeed('POST /register', { event_types: types, ...params })
  let after = last_event_id
  return async () => {
    const { events } = await person.succeed('GET /events', { queue_id, last_event_id: after, dont_block: true })
    after = events.at(-1)?.id ?? after
    return events.map(({ id: _, ...event }: { id: number }) => event)
  }
}
