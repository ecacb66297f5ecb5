import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Person } from '../store/organization.ts'
import type { VisiblePresence } from '../store/presence.ts'
import { matchesPerson, orderPeople, presenceText, shortPresenceText, stableOrder } from './person-row.ts'

const person = (user_id: number, full_name: string) => ({ user_id, full_name, delivery_email: null }) as Person

const people = [person(1, 'Émile'), person(2, 'Ben'), person(3, 'Chen'), person(4, 'Dan'), person(5, 'Eve')]

test('active users come first, then idle ones, then others by last activity, unknown last', () => {
  const presences = new Map<number, VisiblePresence>([
    [2, { kind: 'offline', since: 100 }],
    [3, { kind: 'idle', since: 900 }],
    [4, { kind: 'offline', since: 500 }],
    [5, { kind: 'active' }],
  ])
  const order = orderPeople(people, (id) => presences.get(id) ?? { kind: 'offline', since: null })

  assert.deepEqual(order, [5, 3, 4, 2, 1])
})

test('equal presence is sorted by name, ignoring diacritics', () => {
  assert.deepEqual(orderPeople([...people, person(6, 'Eric')], null), [2, 3, 4, 1, 6, 5])
})

test('the short presence text is brief, and empty for active users', () => {
  assert.equal(shortPresenceText({ kind: 'active' }, 1000), null)
  assert.equal(shortPresenceText({ kind: 'idle', since: 400 }, 1000), 'idle for 10 minutes')
  assert.equal(shortPresenceText({ kind: 'offline', since: 400 }, 1000), 'active 10 minutes ago')
  assert.equal(shortPresenceText({ kind: 'offline', since: null }, 1000), 'offline')
})

test('presence is described in words', () => {
  assert.equal(presenceText({ kind: 'active' }, 1000), 'active')
  assert.equal(presenceText({ kind: 'idle', since: 400 }, 1000), 'idle for 10 minutes')
  assert.equal(presenceText({ kind: 'idle', since: 970 }, 1000), 'idle for 1 minute')
  assert.equal(presenceText({ kind: 'offline', since: 1000 }, 1000 + 86_400), 'offline, last active yesterday')
  assert.equal(presenceText({ kind: 'offline', since: null }, 1000), 'offline')
  assert.equal(presenceText({ kind: 'hidden' }, 1000), 'hidden from others')
})

test('people are found by the start of any name, ignoring diacritics, and by email address', () => {
  const emile = { ...person(1, 'Émile du Châtelet'), delivery_email: 'emilie@example.com' }

  assert.deepEqual(
    ['emi', 'CHAT', 'emilie@', 'atelet', ' '].map((text) => matchesPerson(emile, text)),
    [true, true, true, false, true],
  )
})

test('a stable order drops removed ids and appends new ones', () => {
  assert.deepEqual(stableOrder([3, 1, 2], [2, 4, 3]), [3, 2, 4])
})
