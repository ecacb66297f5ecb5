import assert from 'node:assert/strict'
import { test } from 'node:test'
import { suggestedTopic } from './topic-choices.ts'

const [ada, bot] = [7, 1]
const suggested = (...messages: [number, string][]) =>
  suggestedTopic(
    messages.map(([sender_id, subject]) => ({ sender_id, subject })),
    [bot],
  )

test('the suggested topic is the newest in which not only the server’s bots wrote', () => {
  assert.equal(suggested([ada, 'icons'], [ada, 'colours']), 'colours')
  assert.equal(suggested([ada, 'icons'], [bot, 'new channels']), 'icons')
  assert.equal(suggested([ada, 'icons'], [ada, 'colours'], [bot, 'Icons']), 'Icons')
  assert.equal(suggested([bot, 'new channels']), '')
  assert.equal(suggested(), '')
})
