import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Person } from '../../store/organization.ts'
import type { VisiblePresence } from '../../store/people/presences.ts'
import { matchesPerson, orderPeople, presenceText, shortPresenceText, stableOrder } from './person-row.ts'

const person = (user_id: number, full_name: string) => ({ user_id, full_name, delivery_email: null }) as Person

const people = [person(1, 'Émile'), person(2, 'Ben'), person(3, 'Chen'), person(4, 'Dan'), person(5, 'Eve')]

test('who is active stands first, then who is idle, then the others by when they were there, the unknown last', () => {
  const presences = new Map<number, VisiblePresence>([
    [2, { kind: 'offline', since: 100 }],
    [3, { kind: 'idle', since: 900 }],
    [4, { kind: 'offline', since: 500 }],
    [5, { kind: 'active' }],
  ])
  const order = orderPeople(people, (id) => presences.get(id) ?? { kind: 'offline', since: null })

  assert.deepEqual(order, [5, 3, 4, 2, 1])
})

test('names decide where presence does not, letters with marks among those without', () => {
  assert.deepEqual(orderPeople([...people, person(6, 'Eric')], null), [2, 3, 4, 1, 6, 5])
})

test('beside its sign presence takes few words, and none where somebody is there', () => {
  assert.equal(shortPresenceText({ kind: 'active' }, 1000), null)
  assert.equal(shortPresenceText({ kind: 'idle', since: 400 }, 1000), 'idle since 10 minutes')
  assert.equal(shortPresenceText({ kind: 'offline', since: 400 }, 1000), 'active 10 minutes ago')
  assert.equal(shortPresenceText({ kind: 'offline', since: null }, 1000), 'offline')
})

test('presence is said in words', () => {
  assert.equal(presenceText({ kind: 'active' }, 1000), 'active')
  assert.equal(presenceText({ kind: 'idle', since: 400 }, 1000), 'idle since 10 minutes')
  assert.equal(presenceText({ kind: 'idle', since: 970 }, 1000), 'idle since 1 minute')
  assert.equal(presenceText({ kind: 'offline', since: 1000 }, 1000 + 86_400), 'offline, last active yesterday')
  assert.equal(presenceText({ kind: 'offline', since: null }, 1000), 'offline')
  assert.equal(presenceText({ kind: 'hidden' }, 1000), 'hidden from others')
})

test('people are found by the beginning of any of their names, without marks, and by their address', () => {
  const emile = { ...person(1, 'Émile du Châtelet'), delivery_email: 'emilie@example.com' }

  assert.deepEqual(
    ['emi', 'CHAT', 'emilie@', 'atelet', ' '].map((text) => matchesPerson(emile, text)),
    [true, true, true, false, true],
  )
})

test('an order that is kept loses who is gone, and has newcomers last', () => {
  assert.deepEqual(stableOrder([3, 1, 2], [2, 4, 3]), [3, 2, 4])
})
