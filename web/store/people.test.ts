import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Person } from './organization.ts'
import { conversationName, distinctName, namesakeDetail } from './people.ts'

const person = (user_id: number, full_name: string, delivery_email: string | null = null) =>
  ({ user_id, full_name, delivery_email }) as Person

const [ada, sam, otherSam] = [person(1, 'Ada'), person(2, 'Sam', 'sam@example.com'), person(3, 'Sam')]
const users = [ada, sam, otherSam]

test('users with the same name are told apart by their address, or by their id if the address is hidden', () => {
  assert.deepEqual(
    users.map((one) => namesakeDetail(one, users)),
    [null, 'sam@example.com', 'ID 3'],
  )
  assert.equal(distinctName(ada, users), 'Ada')
  assert.equal(distinctName(sam, users), 'Sam (sam@example.com)')
})

test('a deactivated user is told apart from the active one of the same name, whose name alone is clear', () => {
  const deactivated = person(4, 'Ada', 'old@example.com')

  assert.equal(distinctName(deactivated, users), 'Ada (old@example.com)')
  assert.equal(distinctName(ada, users), 'Ada')
})

test('the name of a conversation tells its participants apart', () => {
  const find = (id: number) => users.find(({ user_id }) => user_id === id)
  const nameOf = (ownId: number, ...people: number[]) => conversationName({ find, users, ownId }, people)

  assert.equal(nameOf(1, 2, 3), 'Sam (sam@example.com), Sam (ID 3)')
  assert.equal(nameOf(2, 1, 2, 9), 'Ada, Sam (you), Unknown user')
})
