import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Subscription } from '../../../store/organization.ts'
import { sortedSections } from './sorted-sections.ts'

const channel = (name: string, more: Partial<Subscription> = {}) =>
  ({ name, pin_to_top: false, is_recently_active: true, is_muted: false, is_archived: false, ...more }) as Subscription

test('channels are in sections by name, with muted ones last and without archived ones', () => {
  const sections = sortedSections([
    channel('random', { is_muted: true }),
    channel('tea'),
    channel('Help'),
    channel('old', { is_recently_active: false }),
    channel('news', { pin_to_top: true, is_recently_active: false }),
    channel('gone', { is_archived: true }),
  ])
  assert.deepEqual(
    sections.map(({ id, channels }) => [id, channels.map(({ name }) => name)]),
    [
      ['pinned', ['news']],
      ['channels', ['Help', 'tea', 'random']],
      ['inactive', ['old']],
    ],
  )
})
