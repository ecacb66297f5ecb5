import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { allUnicodeEmoji, findUnicodeEmoji, unicodeEmojiNames } from './emoji.ts'

const reference = path.resolve(import.meta.dirname, '../../../shared/reference/emoji-names.json')

test('an emoji is found by its canonical name and by its aliases', () => {
  const codes = ['heart', 'love', 'hash', 'no_such_emoji', 'constructor'].map((name) => findUnicodeEmoji(name)?.code)

  assert.deepEqual(codes, ['2764', '2764', '0023-20e3', undefined, undefined])
})

test('the canonical name of an emoji comes first', () => {
  assert.deepEqual(unicodeEmojiNames('2764'), ['heart', 'love', 'love_you'])
  assert.deepEqual(unicodeEmojiNames('ffff'), [])
})

test('the table contains the names that clients know', {
  skip: !existsSync(reference) && `${reference} is absent`,
}, () => {
  const known: Record<string, { name: string; aliases: string[] }> = JSON.parse(readFileSync(reference, 'utf8'))

  const expected = Object.entries(known).map(([code, { name, aliases }]) => [code, [name, ...aliases]])

  assert.deepEqual(Object.fromEntries(allUnicodeEmoji()), Object.fromEntries(expected))
})
