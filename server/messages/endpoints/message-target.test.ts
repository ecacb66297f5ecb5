import assert from 'node:assert/strict'
import test from 'node:test'
import { readChannelTarget, readPeopleTarget } from './message-target.ts'

test('a channel can be named as text, as JSON, by id, or in a list with one of these', () => {
  const cases: [string, string | number][] = [
    ['design', 'design'],
    ['"design"', 'design'],
    ['["design"]', 'design'],
    ['1', 1],
    ['[1]', 1],
    ['[design', '[design'],
    ['', ''],
  ]
  for (const [to, target] of cases) assert.equal(readChannelTarget(to), target)
})

test('several channels, no channel, and invalid channels are refused', () => {
  assert.throws(() => readChannelTarget('["a","b"]'), /Expected exactly one channel/)
  assert.throws(() => readChannelTarget('[]'), /Expected exactly one channel/)
  for (const to of ['true', '{}', '[null]', '1.5'])
    assert.throws(() => readChannelTarget(to), /Invalid data type for channel/)
})

test('users are a list of ids or addresses, or comma-separated addresses, without duplicates', () => {
  assert.deepEqual(readPeopleTarget('[2,1]'), [2, 1])
  assert.deepEqual(readPeopleTarget('["a@x.com", " b@x.com "]'), ['a@x.com', 'b@x.com'])
  assert.deepEqual(readPeopleTarget('a@x.com, b@x.com,,'), ['a@x.com', 'b@x.com'])
  assert.deepEqual(readPeopleTarget('"a@x.com"'), ['a@x.com'])
  assert.deepEqual(readPeopleTarget('[]'), [])
})

test('mixed lists, and values that are not lists of users, are refused', () => {
  assert.throws(() => readPeopleTarget('[1,"a@x.com"]'), /emails or user IDs, but not both/)
  for (const to of ['true', '7', '{}', '[1.5]', '[[1]]', '[null]'])
    assert.throws(() => readPeopleTarget(to), /Invalid data type for recipients/)
})

test('a list that is too long or too deep is refused before it is parsed', () => {
  assert.throws(() => readPeopleTarget(`[${'1,'.repeat(1000)}1]`), /to has too many items/)
  assert.throws(() => readChannelTarget('['.repeat(9)), /to is nested too deeply/)
})
