import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findToken } from './find-token.ts'

/** Returns the kind and the query of the token at the end of the text, and the text that it replaces. */
function tokenAt(text: string): string | null {
  const token = findToken(text, text.length)
  if (token === null) return null
  const details = token.kind === 'topic' ? `${token.channel} / ${token.query}` : token.query
  const silent = token.kind === 'mention' && token.isSilent ? ' silent' : ''
  return `${token.kind}${silent}: ${details} (${text.slice(token.from)})`
}

const cases: readonly [text: string, token: string | null][] = [
  ['@', 'mention:  (@)'],
  ['see @ad', 'mention: ad (@ad)'],
  ['see @Ada Lo', 'mention: Ada Lo (@Ada Lo)'],
  ['(@_ada', 'mention silent: ada (@_ada)'],
  ['@**ada', 'mention: ada (@**ada)'],
  ['to @ada.l@exa', 'mention: ada.l@exa (@ada.l@exa)'],
  ['me@example.com', null],
  ['@ ada', null],
  ['@**Ada Lovelace** ', null],
  ['#des', 'channel: des (#des)'],
  ['# heading', null],
  ['C#', null],
  ['#**design>', 'topic: design /  (#**design>)'],
  ['#**design** >ico', 'topic: design / ico (#**design** >ico)'],
  ['so :ta', 'emoji: ta (:ta)'],
  ['smile :)', null],
  ['smile :p', null],
  ['at 10:30', null],
  ['/po', 'command: po (/po)'],
  ['/stand-up', 'command: stand-up (/stand-up)'],
  ['either/or', null],
  ['```py', 'language: py (py)'],
  ['```py\n@ad', null],
  ['```py\nx\n```\n@ad', 'mention: ad (@ad)'],
  ['in `code @ad', null],
  ['meet <time', 'time: time (<time)'],
  ['meet <time:to', 'time: time:to (<time:to)'],
  ['a < b', null],
]

for (const [text, token] of cases)
  test(`what is completed in ${JSON.stringify(text)}`, () => assert.equal(tokenAt(text), token))
