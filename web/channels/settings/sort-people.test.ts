import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Person } from '../../store/organization.ts'
import { orderAfter, type PeopleOrder, sortPeople } from './sort-people.ts'

const person = (full_name: string, role: number, is_bot = false) => ({ full_name, role, is_bot }) as Person

const people = [person('Zoe 10', 400), person('robot', 400, true), person('zoe 2', 400), person('Émile', 100)]

const sorted = (order: PeopleOrder) => sortPeople(people, order).map(({ full_name }) => full_name)

test('people are sorted by name, or by role and name, in both directions', () => {
  assert.deepEqual(sorted({ by: 'name', isReversed: false }), ['Émile', 'robot', 'zoe 2', 'Zoe 10'])
  assert.deepEqual(sorted({ by: 'name', isReversed: true }), ['Zoe 10', 'zoe 2', 'robot', 'Émile'])
  assert.deepEqual(sorted({ by: 'role', isReversed: false }), ['Émile', 'zoe 2', 'Zoe 10', 'robot'])
  assert.deepEqual(sorted({ by: 'role', isReversed: true }), ['robot', 'zoe 2', 'Zoe 10', 'Émile'])
})

test('a column header sorts by its column, and reverses the order on a second click', () => {
  const byRole = orderAfter({ by: 'name', isReversed: true }, 'role')

  assert.deepEqual(byRole, { by: 'role', isReversed: false })
  assert.deepEqual(orderAfter(byRole, 'role'), { by: 'role', isReversed: true })
  assert.deepEqual(orderAfter(orderAfter(byRole, 'role'), 'role'), byRole)
})
