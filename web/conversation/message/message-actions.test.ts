import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandForKey, DEFAULT_SHORTCUTS } from '../../store/shortcuts.ts'
import { actionOfKey } from './message-actions.ts'

const press = (
  key: string,
  held: 'ctrlKey' | 'altKey' | 'shiftKey' | null = null,
  flags: string[] = [],
  meaningOf = (pressed: string) => commandForKey(DEFAULT_SHORTCUTS, pressed),
) => {
  const none = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false }
  return actionOfKey({ key, ...none, ...(held !== null && { [held]: true }) }, { flags }, meaningOf)
}

test('single keys work as in other Zulip clients, with no modifier but Shift', () => {
  assert.equal(press('e'), 'edit')
  assert.equal(press('>', 'shiftKey'), 'quote')
  assert.equal(press('<', 'shiftKey'), 'forward')
  assert.equal(press('H', 'shiftKey'), 'history')
  assert.equal(press('h'), null)
  assert.deepEqual(
    ['u', 'V', 'L', '-'].map((key) => press(key)),
    ['person', 'readers', 'copy-link', 'collapse'],
  )
  assert.equal(press('-', null, ['read', 'collapsed']), 'expand')
  assert.equal(press('e', 'ctrlKey'), null)
  assert.equal(press('e', 'altKey'), null)
})

test('Ctrl+S stars and unstars a message', () => {
  assert.equal(press('s', 'ctrlKey'), 'star')
  assert.equal(press('s', 'ctrlKey', ['read', 'starred']), 'unstar')
  assert.equal(press('s'), null)
})

test('a changed key runs its command', () => {
  const meaningOf = (pressed: string) => (pressed === 'y' ? 'e' : null)

  assert.equal(press('y', null, [], meaningOf), 'edit')
  assert.equal(press('e', null, [], meaningOf), null)
})

test('with single-key shortcuts off, the keys of the menu and of stars still work', () => {
  assert.equal(
    press('e', null, [], () => null),
    null,
  )
  assert.equal(
    press('+', 'shiftKey', [], () => null),
    null,
  )
  assert.equal(
    press('s', 'ctrlKey', [], () => null),
    'star',
  )
  assert.equal(
    press('ContextMenu', null, [], () => null),
    'menu',
  )
  assert.equal(
    press('F10', 'shiftKey', [], () => null),
    'menu',
  )
})
