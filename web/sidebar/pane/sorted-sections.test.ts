import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Subscription } from '../../store/organization.ts'
import { sortedSections } from './sorted-sections.ts'

const channel = (name: string, more: Partial<Subscription> = {}) =>
  ({ name, pin_to_top: false, is_recently_active: true, is_muted: false, is_archived: false, ...more }) as Subscription

const [AUTOMATIC, ALWAYS, NEVER] = [1, 2, 3] as const

const EXAMPLES = [
  channel('random', { is_muted: true }),
  channel('tea'),
  channel('Help'),
  channel('old', { is_recently_active: false }),
  channel('news', { pin_to_top: true, is_recently_active: false }),
  channel('gone', { is_archived: true }),
]

/** Returns the names of the channels in each section. */
const namesOf = (channels: readonly Subscription[], policy: number) =>
  sortedSections(channels, policy).map(({ id, channels }) => [id, channels.map(({ name }) => name)])

test('inactive channels stay with the others if the user wants it, or has few channels', () => {
  const many = Array.from({ length: 30 }, (_, at) => channel(`many ${at}`, { is_recently_active: at > 0 }))

  for (const policy of [AUTOMATIC, NEVER]) assert.deepEqual(namesOf(EXAMPLES, policy).at(-1), ['inactive', []])
  assert.deepEqual(namesOf(many, AUTOMATIC).at(-1), ['inactive', ['many 0']])
  assert.deepEqual(namesOf(many, NEVER).at(-1), ['inactive', []])
})

test('channels are in sections by name, with muted ones last and without archived ones', () => {
  assert.deepEqual(namesOf(EXAMPLES, ALWAYS), [
    ['pinned', ['news']],
    ['channels', ['Help', 'tea', 'random']],
    ['inactive', ['old']],
  ])
})
