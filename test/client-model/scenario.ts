import fc from 'fast-check'
import type { Person } from '../harness.ts'
import { actions } from './actions.ts'
import { type ModelClient, startModelClient } from './model-client.ts'
import type { Form } from './reducer.ts'
import { pickBy, startWorld } from './world.ts'

const CAPABILITIES = [
  ...['archived_channels', 'bulk_message_deletion', 'empty_topic_name', 'include_deactivated_groups'],
  ...['linkifier_url_template', 'notification_settings_null', 'stream_typing_notifications'],
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

const HEARERS = 8

/** What happens in an organization, and who hears of it as which client. */
export type Scenario = {
  guestsKnowAll: boolean
  forms: readonly Form[]
  deeds: readonly { name: string; who: number; numbers: readonly number[] }[]
}

export const scenarios: fc.Arbitrary<Scenario> = fc.record({
  guestsKnowAll: fc.boolean(),
  forms: fc.array(fc.oneof(fc.constantFrom(newest, mobile, oldest), anyForm), {
    minLength: HEARERS,
    maxLength: HEARERS,
  }),
  // A few kinds of deeds in each story, so that they meet.
  deeds: fc.subarray(Object.keys(actions), { minLength: 8, maxLength: 24 }).chain(someOf),
})

function someOf(names: readonly string[]): fc.Arbitrary<Scenario['deeds']> {
  const deed = fc.record({
    name: fc.constantFrom(...names),
    // Owners may do most, so they do most.
    who: fc.constantFrom(0, 0, 0, 1, 2, 3, 4, 5, 6, 7),
    numbers: fc.array(fc.nat(1000), { minLength: 8, maxLength: 8 }),
  })
  return fc.array(deed, { minLength: 20, maxLength: 60 })
}

/** Lets it happen; those who heard of it, once everything is over. */
export async function runScenario(story: Scenario): Promise<ModelClient[]> {
  const world = await startWorld(story)
  const followers = await Promise.all(
    world.people.map((person, index) => startModelClient(person, story.forms[index] as Form)),
  )
  for (const { name, who, numbers } of story.deeds) {
    const answer = await actions[name]?.(world, world.people[who] as Person, pickBy(numbers))
    // What others may not do the first may, mostly.
    if (wasRefused(answer)) await actions[name]?.(world, world.people[0] as Person, pickBy(numbers))
  }
  return followers
}

const wasRefused = (answer: unknown) =>
  typeof answer === 'object' && answer !== null && 'result' in answer && answer.result === 'error'
