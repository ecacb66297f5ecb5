import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readWords } from './read-words.ts'

const at = (...parts: [number, number, number, number, number?]) => new Date(...parts).getTime() / 1000

test('words name a time from now on', () => {
  const wednesday = at(2026, 10, 25, 14, 30)

  assert.equal(readWords('tomorrow at 9', wednesday), at(2026, 10, 26, 9))
  assert.equal(readWords('in 2 hours', wednesday), at(2026, 10, 25, 16, 30))
  assert.equal(readWords('monday 8:15', wednesday), at(2026, 10, 30, 8, 15))
  assert.equal(readWords('lunch', wednesday), null)
})

test('a bare hour after a day is read, and a day without a time means its morning', () => {
  const wednesday = at(2026, 10, 25, 14, 30)

  for (const [words, time] of [
    ['tomorrow 9', at(2026, 10, 26, 9)],
    ['tomorrow 17:30', at(2026, 10, 26, 17, 30)],
    ['next monday 10', at(2026, 10, 30, 10)],
    ['tomorrow', at(2026, 10, 26, 9)],
    ['tomorrow morning', at(2026, 10, 26, 9)],
    ['next monday', at(2026, 10, 30, 9)],
    ['the day after tomorrow', at(2026, 10, 27, 9)],
    ['day after tomorrow at 16', at(2026, 10, 27, 16)],
    ['in 20 minutes', at(2026, 10, 25, 14, 50)],
    ['in 2 days', at(2026, 10, 27, 14, 30)],
    ['tonight', at(2026, 10, 25, 22)],
  ] as const)
    assert.equal(readWords(words, wednesday), time, words)
})

test('a number that is not understood makes the words no time', () => {
  const wednesday = at(2026, 10, 25, 14, 30)

  for (const words of ['31.12. 14:00', 'tomorrow at 9 or 10', '99 14:00'])
    assert.equal(readWords(words, wednesday), null, words)
})
