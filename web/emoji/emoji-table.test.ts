import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allUnicodeEmoji } from '#markdown/emoji.ts'
import { CATEGORIES, categoryOf, searchEmoji, toEmojiChoices } from './emoji-choices.ts'

const own = (name: string, deactivated = false) => ({
  id: '7',
  name,
  source_url: '/user_avatars/2/emoji/images/7.png',
  still_url: null,
  deactivated,
  author_id: 1,
})

const NAMES = { '1f44d': ['+1', 'thumbs_up'], '1f431': ['cat'], '1f63a': ['smiley_cat'], '1f408': ['kitty_cat'] }

test('emoji are in their expected category', () => {
  const samples: [string, (typeof CATEGORIES)[number]][] = [
    ['1f600', 'Smileys'],
    ['2764', 'Smileys'],
    ['1f468-200d-1f33e', 'Smileys'],
    ['1f431', 'Animals'],
    ['1f355', 'Food'],
    ['26bd', 'Activities'],
    ['1f389', 'Activities'],
    ['1f680', 'Travel'],
    ['1f4bb', 'Objects'],
    ['2705', 'Symbols'],
    ['0031-20e3', 'Symbols'],
    ['1f1e9-1f1ea', 'Flags'],
  ]

  for (const [code, category] of samples) assert.equal(categoryOf(code), category, code)
  const counts = Object.groupBy(allUnicodeEmoji().keys(), categoryOf)
  for (const category of CATEGORIES) assert.ok((counts[category]?.length ?? 0) > 50, category)
})

test('search finds emoji by any name, prefix matches first', () => {
  const choices = toEmojiChoices(NAMES, {})
  const find = (query: string) => searchEmoji(choices, query).map(({ emoji_name }) => emoji_name)

  assert.deepEqual(find('cat'), ['cat', 'smiley_cat', 'kitty_cat'])
  assert.deepEqual(choices[0]?.emoji_name, 'smiley_cat')
  assert.deepEqual(find('Thumbs up'), ['+1'])
  assert.deepEqual(find(':kitty_cat:'), ['kitty_cat'])
  assert.deepEqual(find('dog'), [])
})

test('custom emoji replace others of the same name until they are deactivated', () => {
  const nameAndType = (deactivated: boolean) =>
    toEmojiChoices({ '1f431': ['cat', 'kitten'] }, { '7': own('cat', deactivated) }).map((one) => [
      one.emoji_name,
      one.reaction_type,
    ])

  assert.deepEqual(nameAndType(false), [
    ['cat', 'realm_emoji'],
    ['kitten', 'unicode_emoji'],
  ])
  assert.deepEqual(nameAndType(true), [['cat', 'unicode_emoji']])
})
