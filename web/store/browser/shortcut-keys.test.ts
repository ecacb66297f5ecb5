import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AS_THEY_WERE, COMMANDS, type KeyChoice, meaningOf, nameOfKey, readChoice, withKey } from './shortcut-keys.ts'

const changed = (choice: KeyChoice, key: string, chosen: string): KeyChoice => {
  const next = withKey(choice, key, chosen)
  return typeof next === 'string' ? assert.fail(next) : next
}

test('every shortcut has a key of its own', () => {
  assert.equal(new Set(COMMANDS.map(({ key }) => key)).size, COMMANDS.length)
})

test('another key does what the one before did, which then does nothing', () => {
  const choice = changed(AS_THEY_WERE, 'j', 'ö')

  assert.deepEqual(
    ['ö', 'j', 'k', 'K'].map((key) => meaningOf(choice, key)),
    ['j', null, 'k', null],
  )
  assert.deepEqual(changed(choice, 'j', 'j'), AS_THEY_WERE)
})

test('a key that does something already is refused, and is free once that has another', () => {
  assert.match(String(withKey(AS_THEY_WERE, 'j', 'k')), /^K is taken: “The message before”/)
  assert.match(String(withKey(AS_THEY_WERE, 'j', 'H')), /^Shift\+H is taken/)

  const choice = changed(changed(AS_THEY_WERE, 'k', 'y'), 'j', 'k')

  assert.deepEqual([meaningOf(choice, 'k'), meaningOf(choice, 'y')], ['j', 'k'])
  assert.match(String(withKey(choice, 'k', 'k')), /^K is taken: “The next message”/)
})

test('what is no single letter or sign is refused', () => {
  for (const chosen of ['', ' ', 'ab', 'F6']) assert.match(String(withKey(AS_THEY_WERE, 'j', chosen)), /single/, chosen)
})

test('while they are off no letter means anything', () => {
  assert.equal(meaningOf({ ...AS_THEY_WERE, areOn: false }, 'j'), null)
})

test('keys are called as they are pressed', () => {
  assert.deepEqual(['j', 'H', '?', '7', 'ö'].map(nameOfKey), ['J', 'Shift+H', '?', '7', 'Ö'])
})

test('what was kept is read, and what of it makes no sense is passed by', () => {
  const choice = changed(changed(changed(AS_THEY_WERE, 'j', 'y'), 'k', 'j'), 'j', 'k')

  assert.deepEqual(readChoice(JSON.stringify({ ...choice, areOn: false })), { ...choice, areOn: false })
  assert.deepEqual(readChoice('{"keys":{"gone":"y","j":"ö"}}'), { areOn: true, keys: { j: 'ö' } })
  for (const json of [null, 'x', '7', 'null', '{"keys":{"j":"k"}}', '{"keys":{"j":"ab"}}', '{"keys":{"j":7}}'])
    assert.deepEqual(readChoice(json), AS_THEY_WERE, String(json))
})
