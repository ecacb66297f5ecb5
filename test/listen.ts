import type { Body, Person, ReceivedEvent } from './harness.ts'

/** Fetches the events of a queue without their ids. */
export type Listen = () => Promise<ReceivedEvent[]>

/** Registers a queue; the result returns the events since then. */
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

/** Registers two queues, for a client without the capability and for a client with it. */
export async function bothClients(person: Person, capability: string): Promise<{ toOld: Listen; toNewer: Listen }> {
  const toOld = await listen(person)
  return { toOld, toNewer: await listen(person, { client_capabilities: { [capability]: true } }) }
}
