import type { Body, Person, ReceivedEvent } from './harness.ts'

/** Fetches what a queue holds, without the ids of the events. */
export type Listen = () => Promise<ReceivedEvent[]>

/** Registers a queue; what comes into it from now on is heard by calling the result. */
export async function listen(
  person: Person,
  form: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Listen> {
  const { queue_id, last_event_id } = await person.call('POST /register', form, headers)
  return async () => {
    const { events }: Body = await person.succeed('GET /events', { queue_id, last_event_id, dont_block: true })
    return events.map(({ id: _, ...event }: ReceivedEvent & { id: number }) => event)
  }
}

/** Registers twice, as a client that knows nothing new and as one that has the capability. */
export async function bothClients(person: Person, capability: string): Promise<{ toOld: Listen; toNewer: Listen }> {
  const toOld = await listen(person)
  return { toOld, toNewer: await listen(person, { client_capabilities: { [capability]: true } }) }
}
