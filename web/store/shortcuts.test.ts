import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  commandForKey,
  DEFAULT_SHORTCUTS,
  keyLabel,
  readShortcutSettings,
  SHORTCUT_COMMANDS,
  type ShortcutSettings,
  withKey,
} from './shortcuts.ts'

const changed = (choice: ShortcutSettings, key: string, chosen: string): ShortcutSettings => {
  const next = withKey(choice, key, chosen)
  return typeof next === 'string' ? assert.fail(next) : next
}

test('every shortcut has its own key', () => {
  assert.equal(new Set(SHORTCUT_COMMANDS.map(({ key }) => key)).size, SHORTCUT_COMMANDS.length)
})

test('every listed shortcut works by its default key', () => {
  for (const { key } of SHORTCUT_COMMANDS) assert.equal(commandForKey(DEFAULT_SHORTCUTS, key), key)
})

test('a new key replaces the old one, which does nothing', () => {
  const choice = changed(DEFAULT_SHORTCUTS, 'j', 'ö')

  assert.deepEqual(
    ['ö', 'j', 'k', 'Ö'].map((key) => commandForKey(choice, key)),
    ['j', null, 'k', null],
  )
  assert.deepEqual(changed(choice, 'j', 'j'), DEFAULT_SHORTCUTS)
})

test('a used key is refused, and is free after its command gets another', () => {
  assert.match(String(withKey(DEFAULT_SHORTCUTS, 'j', 'k')), /^K is already used for “Previous message”/)
  assert.match(String(withKey(DEFAULT_SHORTCUTS, 'j', 'H')), /^Shift\+H is already used/)

  const choice = changed(changed(DEFAULT_SHORTCUTS, 'k', 'o'), 'j', 'k')

  assert.deepEqual([commandForKey(choice, 'k'), commandForKey(choice, 'o')], ['j', 'k'])
  assert.match(String(withKey(choice, 'k', 'k')), /^K is already used for “Next message”/)
})

test('only single characters are accepted', () => {
  for (const chosen of ['', ' ', 'ab', 'F6'])
    assert.match(String(withKey(DEFAULT_SHORTCUTS, 'j', chosen)), /single/, chosen)
})

test('turned-off shortcuts do nothing', () => {
  assert.equal(commandForKey({ ...DEFAULT_SHORTCUTS, areOn: false }, 'j'), null)
})

test('keys are labeled as they are pressed', () => {
  assert.deepEqual(['j', 'H', '?', '7', 'ö'].map(keyLabel), ['J', 'Shift+H', '?', '7', 'Ö'])
})

test('stored settings are read, and invalid ones ignored', () => {
  const choice = changed(changed(changed(DEFAULT_SHORTCUTS, 'j', 'o'), 'k', 'j'), 'j', 'k')

  assert.deepEqual(readShortcutSettings(JSON.stringify({ ...choice, areOn: false })), { ...choice, areOn: false })
  assert.deepEqual(readShortcutSettings('{"keys":{"gone":"o","j":"ö"}}'), { areOn: true, keys: { j: 'ö' } })
  for (const json of [null, 'x', '7', 'null', '{"keys":{"j":"k"}}', '{"keys":{"j":"ab"}}', '{"keys":{"j":7}}'])
    assert.deepEqual(readShortcutSettings(json), DEFAULT_SHORTCUTS, String(json))
})
