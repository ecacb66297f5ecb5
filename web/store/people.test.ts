import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Person } from './organization.ts'
import { conversationName, distinctName, namesakeDetail, namesInList, shortDistinctName } from './people.ts'

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

  assert.equal(nameOf(1, 2), 'Sam (sam@example.com)')
  assert.equal(nameOf(1, 2, 3), 'Sam (sam), Sam (ID 3)')
  assert.equal(nameOf(2, 1, 2, 9), 'Ada, Sam (you), Unknown user')
})

test('in a list of conversations, groups have addresses only if two groups have the same names', () => {
  const find = (id: number) => users.find(({ user_id }) => user_id === id)
  const namesOf = (...conversations: number[][]) => namesInList({ find, users, ownId: 9 }, conversations)

  assert.deepEqual(namesOf([2], [1, 2]), ['Sam (sam@example.com)', 'Ada, Sam'])
  assert.deepEqual(namesOf([1, 2], [1, 3]), ['Ada, Sam (sam)', 'Ada, Sam (ID 3)'])
})

test('in a list of names, addresses are as short as they can be to tell users apart', () => {
  const shortNames = (...addresses: (string | null)[]) => {
    const named = addresses.map((address, at) => person(at, 'Sam', address))
    return named.map((one) => shortDistinctName(one, named))
  }

  assert.deepEqual(shortNames('sam.long.enough@example.com', 'samuel@example.com', null), [
    'Sam (sam.long.en…)',
    'Sam (samuel)',
    'Sam (ID 2)',
  ])
  assert.deepEqual(shortNames('sam.from.paris@example.com', 'sam.from.parma@example.com'), [
    'Sam (sam.from.paris)',
    'Sam (sam.from.parma)',
  ])
  assert.deepEqual(shortNames('sam@example.com', 'sam@example.org'), ['Sam (sam@example.com)', 'Sam (sam@example.org)'])
  assert.deepEqual(shortNames('sam@example.com'), ['Sam'])
})
