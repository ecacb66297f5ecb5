import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMatcher } from './find-matches.ts'
import { parsePhrases } from './phrases.ts'
import { stemOf } from './tokens.ts'

const inflections = [
  'run runs running',
  'deploy deploys deployed deploying',
  'message messages messaged messaging',
  'create creates created creating',
  'repeat repeats repeated repeating',
  'stop stops stopped stopping',
  'hope hopes hoped hoping',
  'use uses used using',
  'move moves moved moving',
  'close closes closed closing',
  'fix fixes fixed fixing',
  'try tries tried trying',
  'show shows showed showing',
  'add adds added adding',
  'fall falls falling',
  'party parties',
  'box boxes',
  'lunch lunches',
  'carry carries carried carrying',
  'plan plans planned planning',
]

test('the inflections of a word have one stem', () => {
  for (const words of inflections) {
    const stems = new Set(words.split(' ').map(stemOf))
    assert.equal(stems.size, 1, `${words}: ${[...stems].join(' ')}`)
  }
})

test('different words have different stems', () => {
  const words = ['hop', 'hope', 'on', 'one', 'sing', 'king', 'red', 'reed', 'need', 'new', 'this', 'status', 'runner']
  assert.equal(new Set(words.map(stemOf)).size, words.length)
  for (const word of ['sing', 'king', 'red', 'need', 'status', 'class', 'one']) assert.equal(stemOf(word), word)
})

test('a word is found by each of its beginnings with at least two letters', () => {
  const words = inflections.flatMap((line) => line.split(' '))
  const missed = words.flatMap((word) =>
    Array.from(word, (_, end) => word.slice(0, end + 1)).filter(
      (beginning) => beginning.length > 1 && openMatcher(parsePhrases(`${beginning}*`))([stemOf(word)]).length === 0,
    ),
  )
  assert.deepEqual(missed, [])
  assert.deepEqual(openMatcher(parsePhrases('runn*'))(['other']), [])
})
