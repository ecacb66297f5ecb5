import assert from 'node:assert/strict'
import { test } from 'node:test'
import { indexAlertWords } from './alert-words.ts'

const holdersIn = (text: string, ...words: string[]) => {
  const index = indexAlertWords(words.map((word, userId) => ({ userId, wordKey: word.toLowerCase() })))
  return [...index.userIdsIn(text)].sort()
}

test('a word is found regardless of case, with or without punctuation around it', () => {
  for (const text of [
    'tea',
    'Tea?',
    'no TEA',
    '(tea)',
    '"tea"',
    '*tea*',
    '**tea**',
    'one\ntea\ntwo',
    '`tea`',
    'tea,tea',
  ])
    assert.deepEqual(holdersIn(text, 'Tea'), [0], text)
})

test('a part of a word is not found', () => {
  for (const text of ['teapot', 'Chelsea', 'steam', 'tea-time', 'tea/coffee', '@tea', 'te a', ''])
    assert.deepEqual(holdersIn(text, 'tea'), [], text)
})

test('words may contain spaces and punctuation, and share a beginning with other words', () => {
  assert.deepEqual(holdersIn('we need green tea.', 'green', 'green tea', 'green te', 'tea.'), [0, 1, 3])
  assert.deepEqual(holdersIn('Straße ÉTÉ 🍵', 'straße', 'été', '🍵', 'e'), [0, 1, 2])
})

test('every user with the word is found once', () => {
  assert.deepEqual(holdersIn('tea tea', 'tea', 'milk', 'tea'), [0, 2])
  assert.deepEqual(holdersIn('tea'), [])
})
