import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkWording } from './check-wording.ts'

const check = (source: string) => checkWording(new Map([['web/a.ts', source]]))

test('comments that begin without a subject are refused, wherever they are', () => {
  const problems = check(`const a = 1 // Whether it is open
/** What the server sends. */
/**
 * How long the server waits.
 */
// The queue, and
// what is in it.
`)

  assert.deepEqual(
    problems.map((problem) => problem.split(' begins')[0]),
    ['web/a.ts:1', 'web/a.ts:2', 'web/a.ts:4'],
  )
})

test('retired names are refused in code and comments, and allowed in strings', () => {
  const problems = check(`const MOST_PEOPLE = 1
// The queueKeeper closes it.
const text = 'the spotOf the day'
\`
several lines\`
const told = tellAll()
`)

  assert.deepEqual(
    problems.map((problem) => /^(\S+) has the name (\w+)/.exec(problem)?.slice(1).join(' ')),
    ['web/a.ts:1 MOST_PEOPLE', 'web/a.ts:2 queueKeeper', 'web/a.ts:6 tellAll'],
  )
})

test('comments with a subject pass', () => {
  assert.deepEqual(check(`/** Returns what the server sends. */\n// The time for which it waits.\n`), [])
})
