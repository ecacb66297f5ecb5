import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bold, linkTo, rich, t } from './text.ts'

test('a message contains its values and the plural form of its number', () => {
  const unread = (count: number) =>
    t('{count, plural, one {# message} other {# messages}} in {name}', { count, name: 'Ada & Co' })

  assert.deepEqual([unread(1), unread(2)], ['1 message in Ada & Co', '2 messages in Ada & Co'])
})

test('a message with elements escapes its values, but not its elements', () => {
  const text = rich('<b>{name}</b>: <link>log in</link>', { name: '<i>', b: bold, link: linkTo('/login/') })

  assert.equal(text.html, '<b>&lt;i&gt;</b>: <a href="/login/">log in</a>')
})

test('a missing value is an error', () => {
  assert.throws(() => t('Join {realm}', {}), /realm/)
})
