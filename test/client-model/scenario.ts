import { fc } from '../fast-check.ts'
import type { Person } from '../harness.ts'
import { actions } from './actions.ts'
import { type ModelClient, startModelClient } from './model-client.ts'
import type { Form } from './reducer.ts'
import { pickBy, startWorld, type World } from './world.ts'

const CAPABILITIES = [
  ...['archived_channels', 'bulk_message_deletion', 'empty_topic_name', 'include_deactivated_groups'],
  ...['linkifier_url_template', 'notification_settings_null', 'parley_extensions', 'stream_typing_notifications'],
  ...['user_avatar_url_field_optional', 'user_list_incomplete', 'user_settings_object'],
]

const having = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, true]))

const newest: Form = { client_capabilities: having(CAPABILITIES), include_subscribers: true, client_gravatar: false }

const mobile: Form = {
  client_capabilities: { ...having(CAPABILITIES), archived_channels: false, include_deactivated_groups: false },
  slim_presence: true,
}

const oldest: Form = { include_subscribers: true }

const anyForm: fc.Arbitrary<Form> = fc.record({
  client_capabilities: fc.subarray(CAPABILITIES).map(having),
  include_subscribers: fc.boolean(),
  client_gravatar: fc.boolean(),
  apply_markdown: fc.boolean(),
})

const CLIENTS = 8

/** Actions in an organization, and the clients that observe them. */
type Scenario = {
  guestsKnowAll: boolean
  forms: readonly Form[]
  actions: readonly { name: string; actor: number; numbers: readonly number[] }[]
}

export const scenarios: fc.Arbitrary<Scenario> = fc.record({
  guestsKnowAll: fc.boolean(),
  forms: fc.array(fc.oneof(fc.constantFrom(newest, mobile, oldest), anyForm), {
    minLength: CLIENTS,
    maxLength: CLIENTS,
  }),
  // A few kinds of actions in each scenario, so that they affect each other.
  actions: fc.subarray(Object.keys(actions), { minLength: 8, maxLength: 24 }).chain(someOf),
})

function someOf(names: readonly string[]): fc.Arbitrary<Scenario['actions']> {
  const action = fc.record({
    name: fc.constantFrom(...names),
    // Owners have the most permissions, so they act most often.
    actor: fc.constantFrom(0, 0, 0, 1, 2, 3, 4, 5, 6, 7),
    numbers: fc.array(fc.nat(1000), { minLength: 8, maxLength: 8 }),
  })
  return fc.array(action, { minLength: 20, maxLength: 60 })
}

/** Runs the actions and returns the clients. */
export async function runScenario(scenario: Scenario): Promise<ModelClient[]> {
  const world = await startWorld(scenario)
  const clients = await Promise.all(
    world.people.map((person, index) => startModelClient(person, scenario.forms[index] as Form)),
  )
  await runActions(world, scenario)
  return clients
}

export async function runActions(world: World, scenario: Pick<Scenario, 'actions'>): Promise<void> {
  for (const { name, actor, numbers } of scenario.actions) {
    const answer = await actions[name]?.(world, world.people[actor] as Person, pickBy(numbers))
    // The first user, an owner, can do most of what others cannot.
    if (wasRefused(answer)) await actions[name]?.(world, world.people[0] as Person, pickBy(numbers))
  }
}

const wasRefused = (answer: unknown) =>
  typeof answer === 'object' && answer !== null && 'result' in answer && answer.result === 'error'
