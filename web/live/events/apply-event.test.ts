import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runActions, scenarios } from '../../../test/client-model/scenario.ts'
import { startWorld } from '../../../test/client-model/world.ts'
import { fc } from '../../../test/fast-check.ts'
import type { Person } from '../../../test/harness.ts'
import { sized } from '../../../test/size.ts'
import { serverEvent } from '../../../test/web/server-event.ts'
import { directConversations } from '../../messages/conversations.ts'
import { unreadStore } from '../../messages/unread.ts'
import { queuePosition } from '../../store/connection.ts'
import { currentOrganization } from '../../store/organization.ts'
import { registration, type ServerEvent } from '../../store/registration.ts'
import { takeRegistered } from '../state.ts'
import { applyBatch } from './apply-event.ts'

/** Fields that the client does not read, reads once when it starts, or keeps in another store. */
const NOT_KEPT = [
  ...['queue_id', 'last_event_id', 'max_message_id', 'unread_msgs', 'recent_private_conversations'],
  ...['email', 'avatar_url', 'avatar_source'],
]

/**
 * Fields of channels and people that the client does not read, which come either only with the state or only with
 * events (docs/decisions/0010).
 */
const NOT_KEPT_OF_EACH = [
  ...['first_message_id', 'is_recently_active', 'stream_weekly_traffic', 'subscribers'],
  ...['avatar_source', 'avatar_url_medium'],
]

/** Fills the stores with the state that the client fetches when it starts. */
async function load(person: Person): Promise<void> {
  const state = await person.succeed('POST /register', registration)
  takeRegistered(state as unknown as Parameters<typeof takeRegistered>[0])
}

/** Applies all events that wait for the client, and loads its state again where the client does. */
async function catchUp(person: Person): Promise<void> {
  const { queueId, lastEventId: after } = queuePosition.get()!
  const poll = { queue_id: queueId, last_event_id: after, dont_block: true }
  const { code, events } = await person.call('GET /events', poll)
  if (code === 'BAD_EVENT_QUEUE_ID') return load(person) // The actions may take longer than the queue lives.
  const lastEventId = (events as ServerEvent[]).at(-1)?.id
  if (lastEventId === undefined) return
  if (!applyBatch({ queueId, after, lastEventId, events })) await load(person)
  await catchUp(person)
}

/** Returns what the stores contain, in a form in which equal states are equal. */
function stored(): Record<string, unknown> {
  const state = { ...currentOrganization(), unread: unreadStore.get(), direct: directConversations.get() }
  const kept = Object.entries(state).filter(([name]) => !NOT_KEPT.includes(name))
  return Object.fromEntries(kept.map(([name, value]) => [name, comparable(value)]))
}

/** Turns maps and sets into lists, and sorts lists, whose order means nothing. */
function comparable(value: unknown): unknown {
  if (value instanceof Map || value instanceof Set) return comparable([...value])
  if (Array.isArray(value)) return value.map((one) => JSON.stringify(comparable(one))).sort()
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([name]) => !NOT_KEPT_OF_EACH.includes(name))
  return Object.fromEntries(kept.sort().map(([name, one]) => [name, comparable(one)]))
}

test('events keep the stores of the client equal to those of a client that starts now', async () => {
  // The actions never deactivate the first four accounts: an owner, an administrator and two members.
  const property = fc.asyncProperty(scenarios, fc.nat(3), async (scenario, index) => {
    const world = await startWorld(scenario)
    const person = world.people[index]!
    await load(person)
    await runActions(world, scenario)

    await catchUp(person)

    const kept = stored()
    await load(person)
    assert.deepEqual(kept, stored())
  })
  await fc.assert(property, { seed: 4, endOnFailure: true, numRuns: sized(8, 100) })
})

test('a setting that can change what the user may do makes the client load its state again', () => {
  const isApplied = (property: string) => {
    const event = serverEvent('realm', { op: 'update', property, value: 3 })
    return applyBatch({ queueId: 'q', after: event.id - 1, lastEventId: event.id, events: [event] })
  }

  assert.equal(isApplied('name'), true)
  assert.equal(isApplied('can_invite_users_group'), false)
  assert.equal(isApplied('can_create_groups'), false)
  assert.equal(isApplied('waiting_period_threshold'), false)
})
