import assert from 'node:assert/strict'
import { test } from 'node:test'
import { t } from './t.ts'

test('a message without values is returned as it is written', () => {
  assert.equal(t('Save changes'), 'Save changes')
})

test('values take their place in a message', () => {
  assert.equal(t('Leave #{channel}?', { channel: 'design' }), 'Leave #design?')
})

test('a plural follows the rules of the language, and formats the number', () => {
  const replies = (count: number) => t('{count, plural, one {# reply} other {# replies}}', { count })

  assert.deepEqual([replies(1), replies(2), replies(12_000)], ['1 reply', '2 replies', '12,000 replies'])
})

test('a value that is missing is an error', () => {
  assert.throws(() => t('Leave #{channel}?', {}), /channel/)
})
