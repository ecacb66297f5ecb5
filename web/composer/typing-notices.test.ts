import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { type TypingTarget, typingNotices } from './use-typing-notices.ts'

const toBen: TypingTarget = { type: 'direct', to: [2] }
const inTopic: TypingTarget = { type: 'channel', stream_id: 7, topic: 'lunch' }

/**
 * Returns the reports that are sent until the second `until` if the user types a letter at each of these seconds. A
 * null target means that the user has cleared the field.
 */
function events(letters: readonly [second: number, place: TypingTarget | null][], until: number): string[] {
  mock.timers.enable({ apis: ['setTimeout'] })
  let second = 0
  const sent: string[] = []
  const notices = typingNotices({
    resendAfter: 30_000,
    stopAfter: 12_000,
    now: () => second * 1000,
    send: (op, { type }) => sent.push(`${second} ${op} ${type}`),
  })
  for (; second <= until; second += 1) {
    for (const [at, conversation] of letters) if (at === second) notices.type(conversation)
    mock.timers.tick(1000)
  }
  mock.timers.reset()
  return sent
}

test('typing is reported once, again after a while, and its end after a pause', () => {
  const letters = Array.from({ length: 41 }, (_, second): [number, TypingTarget] => [second, toBen])

  assert.deepEqual(events(letters, 60), ['0 start direct', '30 start direct', '51 stop direct'])
})

test('typing elsewhere, or clearing the text, ends typing in the old conversation', () => {
  const letters: [number, TypingTarget | null][] = [
    [0, toBen],
    [1, inTopic],
    [2, null],
    [3, null],
    [4, inTopic],
  ]

  assert.deepEqual(events(letters, 5), [
    '0 start direct',
    '1 stop direct',
    '1 start channel',
    '2 stop channel',
    '4 start channel',
  ])
})
