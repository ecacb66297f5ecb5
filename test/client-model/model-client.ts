import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import type { Person } from '../harness.ts'
import type { Event, Form, State } from './reducer.ts'
import { reducers } from './reducers.ts'

/** A client that fetched the state once and keeps it up to date by events alone. */
export type ModelClient = {
  readonly person: Person
  readonly form: Form
  /** The events since then, oldest first. */
  readonly received: readonly Event[]
  /** True after the queue was deleted because the account was deactivated, even for a while. */
  readonly hasLostQueue: boolean
  /** Applies all events that are waiting. */
  catchUp(): Promise<void>
  /** Fails unless its state equals the state that a new client would fetch now. */
  assertCurrent(): Promise<void>
}

async function register(person: Person, form: Form): Promise<State> {
  const state = await person.succeed('POST /register', { queue_lifespan_secs: 604_800, ...form })
  for (const reducer of reducers) reducer.init?.(state)
  return state
}

export async function startModelClient(person: Person, form: Form): Promise<ModelClient> {
  const state = await register(person, form)
  const { queue_id, last_event_id } = state
  let lastId = last_event_id as number
  let hasLostQueue = false
  const received: Event[] = []

  async function catchUp(): Promise<void> {
    const poll = { queue_id, last_event_id: lastId, dont_block: true }
    const { events = [], status, code, msg } = await person.call('GET /events', poll)
    if (status === 401 || code === 'BAD_EVENT_QUEUE_ID') hasLostQueue = true
    else assert.equal(status, 200, msg)
    for (const event of events as Event[]) {
      assert.ok(event.id >= lastId, 'Events come in the order of their ids')
      lastId = event.id
      received.push(event)
      apply(state, event, form)
    }
    if (events.length > 0) await catchUp()
  }

  return {
    person,
    form,
    received: received,
    get hasLostQueue() {
      return hasLostQueue
    },
    catchUp,
    async assertCurrent() {
      await catchUp()
      if (hasLostQueue) return
      const fresh = await register(person, form)
      const [kept, now] = comparable(structuredClone(state), fresh, form)
      const isWrong = (field: string) => !isDeepStrictEqual(kept[field], now[field])
      const wrong = [...new Set([...Object.keys(kept), ...Object.keys(now)])].filter(isWrong)
      const only = (whole: State) => Object.fromEntries(wrong.map((field) => [field, whole[field]]))
      assert.deepEqual(only(kept), only(now))
    },
  }
}

function apply(state: State, event: Event, form: Form): void {
  const matching = reducers.filter(({ eventTypes }) => (eventTypes as readonly string[]).includes(event.type))
  assert.notEqual(matching.length, 0, `No reducer handles events of the type ${event.type}`)
  // The state must not share objects with the event, which the test still compares.
  for (const reducer of matching) reducer.apply?.(state, structuredClone(event), form)
}

/** Returns both states in a form in which they can be compared. */
function comparable(kept: State, fresh: State, form: Form): [State, State] {
  for (const reducer of reducers) {
    reducer.normalize?.(kept, form)
    reducer.normalize?.(fresh, form)
  }
  for (const reducer of reducers) reducer.derive?.(kept, form)
  for (const reducer of reducers) reducer.ignoreKnownDifferences?.(kept, fresh, form)
  return [kept, fresh]
}
