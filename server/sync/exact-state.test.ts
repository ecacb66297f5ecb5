import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { deeds } from '../../test/client-model/deeds.ts'
import { startFollower } from '../../test/client-model/follower.ts'
import type { Form } from '../../test/client-model/part.ts'
import { pickBy, startWorld } from '../../test/client-model/world.ts'
import type { Person } from '../../test/harness.ts'

const everyCapability = {
  notification_settings_null: true,
  bulk_message_deletion: true,
  user_avatar_url_field_optional: true,
  stream_typing_notifications: true,
  user_settings_object: true,
  include_deactivated_groups: true,
  archived_channels: true,
  linkifier_url_template: true,
  user_list_incomplete: true,
  empty_topic_name: true,
}

const modern: Form = { client_capabilities: everyCapability, include_subscribers: true, client_gravatar: false }
const older: Form = { include_subscribers: true }
const mobile: Form = {
  client_capabilities: { ...everyCapability, archived_channels: false, include_deactivated_groups: false },
  slim_presence: true,
}

const deed = fc.record({
  name: fc.constantFrom(...Object.keys(deeds)),
  // Owners may do most, so they do most.
  who: fc.constantFrom(0, 0, 0, 1, 2, 3, 4, 5, 6),
  numbers: fc.array(fc.nat(1000), { minLength: 6, maxLength: 6 }),
})

const property = fc.asyncProperty(fc.array(deed, { minLength: 20, maxLength: 60 }), async (list) => {
  const world = await startWorld()
  const [ada, , ben, cleo, dan, gus, eve] = world.people as Person[]
  const observers: [Person | undefined, Form][] = [
    [ada, modern],
    [ben, older],
    [cleo, mobile],
    [dan, modern],
    [gus, modern],
    [eve, older],
  ]
  const followers = await Promise.all(observers.map(([person, form]) => startFollower(person as Person, form)))

  for (const { name, who, numbers } of list) await deeds[name]?.(world, world.people[who] as Person, pickBy(numbers))

  for (const follower of followers) await follower.requireTrue()
  // Only the others can be deactivated.
  assert.deepEqual(
    followers.slice(0, 3).map(({ hasEnded }) => hasEnded),
    [false, false, false],
  )
})

test('what a client began with and was told since is what it would be told if it began now', async () => {
  await fc.assert(property, { seed: 4, numRuns: 15 })
})
