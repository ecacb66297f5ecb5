import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endsAfterPiece, parseSearch, searchTerms, searchText, startOfDay } from './search-query.ts'

const filter = (operator: string, operand: string, negated = false) => ({ operator, operand, negated })

test('filters are found between words, by all names of their operators', () => {
  assert.deepEqual(parseSearch('deploy FROM:alice "two words" -has:link stream:3-design http://x e-mail foo:bar'), {
    filters: [filter('from', 'alice'), filter('has', 'link', true), filter('channel', '3-design')],
    words: 'deploy "two words" http://x e-mail foo:bar',
  })
  assert.deepEqual(parseSearch('topic:"launch plan" -draft -"not yet" from:'), {
    filters: [filter('topic', 'launch plan'), filter('not', 'draft'), filter('not', 'not yet'), filter('from', '')],
    words: '',
  })
  assert.deepEqual(parseSearch('constructor:x  - '), { filters: [], words: 'constructor:x -' })
})

test('the text of a search is read as the same search', () => {
  for (const text of ['from:3-Ada deploy*', 'topic:"say ""hi"" now" -"a b" -draft', 'topic:"" -is:dm "a phrase"'])
    assert.equal(searchText(parseSearch(text)), text)
})

test('a search becomes terms of the API', () => {
  const text = 'from:3-Ada -channel:4-design dm:5-Ben,6 has:link after:2030-01-31 near:8 -draft -"not yet" ship it'
  assert.deepEqual(searchTerms(parseSearch(text)), [
    { operator: 'sender', operand: 3 },
    { operator: 'channel', operand: 4, negated: true },
    { operator: 'dm', operand: [5, 6] },
    { operator: 'has', operand: 'link' },
    { operator: 'after', operand: new Date(2030, 0, 31).getTime() / 1000 },
    { operator: 'search', operand: 'draft', negated: true },
    { operator: 'search', operand: '"not yet"', negated: true },
    { operator: 'search', operand: 'ship it' },
  ])
})

test('only days that exist are dates', () => {
  assert.equal(startOfDay('2030-2-3'), new Date(2030, 1, 3).getTime() / 1000)
  for (const text of ['2030-02-30', '2030-13-01', 'today', '', '2030-01']) assert.equal(startOfDay(text), null)
})

test('a typed search is finished by a space outside quotes', () => {
  for (const text of ['from:3-Ada ', 'topic:"launch plan" ', '"two words" from:3-Ada ', 'topic:"" '])
    assert.equal(endsAfterPiece(text), true, text)
  for (const text of ['from:3-Ada', 'topic:"launch ', 'from:3-Ada "two ', '-"not ', 'say" topic:"launch '])
    assert.equal(endsAfterPiece(text), false, text)
})
