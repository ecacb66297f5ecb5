import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import type { Person } from '../harness.ts'
import type { Event, Form, State } from './reducer.ts'
import { reducers } from './reducers.ts'

/** A client that began with the state of one moment, and keeps it true by events alone. */
export type ModelClient = {
  readonly person: Person
  readonly form: Form
  /** What it was told since, oldest first. */
  readonly received: readonly Event[]
  /** Whether it hears of nothing any more, as the account ended, be it for a while. */
  readonly hasLostQueue: boolean
  /** Hears of all that has happened. */
  catchUp(): Promise<void>
  /** Fails unless what it keeps is what a client that began now would be told. */
  assertCurrent(): Promise<void>
}

async function register(person: Person, form: Form): Promise<State> {
  const state = await person.succeed('POST /register', { queue_lifespan_secs: 604_800, ...form })
  for (const part of reducers) part.init?.(state)
  return state
}

export async function startModelClient(person: Person, form: Form): Promise<ModelClient> {
  const state = await register(person, form)
  const { queue_id, last_event_id } = state
  let lastId = last_event_id as number
  let hasEnded = false
  const received: Event[] = []

  async function catchUp(): Promise<void> {
    const poll = { queue_id, last_event_id: lastId, dont_block: true }
    const { events = [], status, code, msg } = await person.call('GET /events', poll)
    if (status === 401 || code === 'BAD_EVENT_QUEUE_ID') hasEnded = true
    else assert.equal(status, 200, msg)
    for (const event of events as Event[]) {
      assert.ok(event.id >= lastId, 'Events come in the order of their ids')
      lastId = event.id
      received.push(event)
      take(state, event, form)
    }
    if (events.length > 0) await catchUp()
  }

  return {
    person,
    form,
    received: received,
    get hasLostQueue() {
      return hasEnded
    },
    catchUp,
    async assertCurrent() {
      await catchUp()
      if (hasEnded) return
      const fresh = await register(person, form)
      const [kept, now] = settled(structuredClone(state), fresh, form)
      const isWrong = (field: string) => !isDeepStrictEqual(kept[field], now[field])
      const wrong = [...new Set([...Object.keys(kept), ...Object.keys(now)])].filter(isWrong)
      const only = (whole: State) => Object.fromEntries(wrong.map((field) => [field, whole[field]]))
      assert.deepEqual(only(kept), only(now))
    },
  }
}

function take(state: State, event: Event, form: Form): void {
  const takers = reducers.filter((part) => part.eventTypes.includes(event.type))
  assert.notEqual(takers.length, 0, `No part of the client takes events of the type ${event.type}`)
  // What lies in the event must not change with what is made of it.
  for (const part of takers) part.apply?.(state, structuredClone(event), form)
}

function settled(kept: State, fresh: State, form: Form): [State, State] {
  for (const part of reducers) {
    part.normalize?.(kept, form)
    part.normalize?.(fresh, form)
  }
  for (const part of reducers) part.derive?.(kept, form)
  for (const part of reducers) part.ignoreKnownDifferences?.(kept, fresh, form)
  return [kept, fresh]
}
