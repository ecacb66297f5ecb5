import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Person } from '../store/organization.ts'
import { filterAccounts, filterBots, mayDeactivate, mayGiveRole, mayReactivate, ownerOf, rolesFor } from './accounts.ts'

const account = (user_id: number, full_name: string, role: number, more: Partial<Person> = {}) =>
  ({ user_id, full_name, role, email: `user${user_id}@x`, is_active: true, is_bot: false, ...more }) as Person

const ada = account(1, 'Ada', 100)
const cleo = account(2, 'Cleo', 200)
const ben = account(3, 'Ben', 400)
const robot = account(4, 'Robot', 400, { is_bot: true })
const dan = account(5, 'Dan', 400, { is_active: false, delivery_email: 'dan@example.com' })
const realm_users = [ada, cleo, ben, robot]
const as = (person: Person, others = realm_users) => ({
  user_id: person.user_id,
  realm_users: others,
})

test("administrators deactivate accounts, except owners' and their own; members none", () => {
  assert.deepEqual(
    [ada, cleo, ben, robot, dan].map((one) => mayDeactivate(as(cleo), one)),
    [false, false, true, true, false],
  )
  assert.equal(mayDeactivate(as(ben), robot), false)
})

test("the last owner keeps the role; two owners can change each other's", () => {
  const bea = account(6, 'Bea', 100)

  assert.equal(mayGiveRole(as(ada), ada, 200), false)
  assert.equal(mayGiveRole(as(ada, [...realm_users, bea]), bea, 400), true)
  assert.equal(mayDeactivate(as(ada, [...realm_users, bea]), bea), true)
})

test('administrators give every role except owner, and none that all accounts have', () => {
  assert.deepEqual(
    rolesFor(as(cleo), [ben]).map(({ id }) => id),
    [200, 300, 600],
  )
  assert.deepEqual(
    rolesFor(as(ada), [ben, cleo]).map(({ id }) => id),
    [100, 200, 300, 400, 600],
  )
  assert.deepEqual(rolesFor(as(cleo), [ada]), [])
})

test('a bot gets no higher role than its owner', () => {
  const bot = account(6, 'Builder', 400, { is_bot: true, bot_owner_id: ben.user_id })
  const roles = (people: Person[]) => rolesFor(as(ada, people), [bot]).map(({ id }) => id)

  assert.deepEqual(roles([ada, ben, bot]), [600])
  assert.deepEqual(roles([ada, { ...ben, role: 200 }, bot]), [200, 300, 600])
})

test('administrators reactivate accounts', () => {
  assert.deepEqual(
    [mayReactivate(as(cleo), dan), mayReactivate(as(cleo), ben), mayReactivate(as(ben), dan)],
    [true, false, false],
  )
})

test('accounts are filtered by status, role, name and email address', () => {
  const all = [...realm_users, dan]
  const names = (filter: Partial<Parameters<typeof filterAccounts>[1]>) =>
    filterAccounts(all, { kind: 'active', text: '', role: 'any', ...filter }, new Set([all.at(-1)?.user_id ?? 0])).map(
      ({ full_name }) => full_name,
    )

  assert.deepEqual(names({}), ['Ada', 'Ben', 'Cleo'])
  assert.deepEqual(names({ kind: 'ended', text: 'DAN@' }), ['Dan'])
  assert.deepEqual(names({ role: 200 }), ['Cleo'])
})

test('bots are filtered by status, type, name, email address and owner', () => {
  const builder = account(7, 'Builder', 400, { is_bot: true, bot_type: 2, bot_owner_id: 5, is_active: false })
  const echo = account(8, 'Echo', 400, { is_bot: true, bot_type: 1, bot_owner_id: 3 })
  const all = [...realm_users, dan, echo, builder]
  const names = (filter: Partial<Parameters<typeof filterBots>[1]>) =>
    filterBots(all, { kind: 'any', text: '', bot: 'any', ...filter }).map(({ full_name }) => full_name)

  assert.deepEqual(names({}), ['Builder', 'Echo', 'Robot'])
  assert.deepEqual([names({ kind: 'active' }), names({ kind: 'ended' })], [['Echo', 'Robot'], ['Builder']])
  assert.deepEqual(names({ bot: 2 }), ['Builder'])
  assert.deepEqual([names({ text: 'dan' }), names({ text: 'USER8@' })], [['Builder'], ['Echo']])
  assert.equal(ownerOf(all, robot), undefined)
})
