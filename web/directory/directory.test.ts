import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Person } from '../store/organization.ts'
import { EVERYONE, isFound, listPeople } from './directory.ts'

const person = (full_name: string, given: Partial<Person> = {}) =>
  ({
    ...{ full_name, role: 400, is_bot: false, delivery_email: null, email: 'user@example.com' },
    ...{ date_joined: '2026-01-01T00:00:00Z', ...given },
  }) as Person

const accounts = {
  active: [
    person('Cleo', { date_joined: '2026-02-01T00:00:00Z' }),
    person('Ada', { role: 100 }),
    person('ben'),
    person('Robot', { is_bot: true }),
  ],
  deactivated: [person('Zoe'), person('Old robot', { is_bot: true })],
}

const names = (filter: Partial<typeof EVERYONE>) =>
  listPeople(accounts, { ...EVERYONE, ...filter }).map(({ full_name }) => full_name)

test('the directory lists people, bots or deactivated accounts, by name, role or newest', () => {
  assert.deepEqual(names({ order: 'name' }), ['Ada', 'ben', 'Cleo'])
  assert.deepEqual(names({ order: 'role' }), ['Ada', 'ben', 'Cleo'])
  assert.deepEqual(names({ order: 'newest' }), ['Cleo', 'Ada', 'ben'])
  assert.deepEqual(names({ kind: 'bots' }), ['Robot'])
  assert.deepEqual(names({ kind: 'deactivated' }), ['Old robot', 'Zoe'])
  assert.deepEqual(names({ role: 100 }), ['Ada'])
})

test('bots are found by part of their address, people only by its beginning', () => {
  const bot = person('Robot', { is_bot: true, email: 'deploy-bot@example.com' })

  assert.equal(isFound(bot, 'ploy-bot'), true)
  assert.equal(isFound(person('Ada', { delivery_email: 'ada@example.com' }), 'ada@'), true)
  assert.equal(isFound(person('Ada', { delivery_email: 'ada@example.com' }), 'example'), false)
})
