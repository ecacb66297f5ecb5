import assert from 'node:assert/strict'
import test from 'node:test'
import { isResolutionChange, MAX_TOPIC_LENGTH, RESOLVED_PREFIX, truncateTopic } from '#rules/topics.ts'
import { fc } from '../../test/fast-check.ts'
import { displayTopic, requireTopic } from './topic.ts'

const topics = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 90 }).map((text) => `a${text}`.trim())

test('both display names of the empty topic are stored as the empty topic, but other spellings are not', () => {
  assert.deepEqual(['general chat', ' (no topic) ', '', 'General Chat'].map(requireTopic), ['', '', '', 'General Chat'])
})

test('clients without support for empty topic names see a name for the empty topic', () => {
  assert.deepEqual(
    [displayTopic('', false), displayTopic('', true), displayTopic('tea', false)],
    ['general chat', '', 'tea'],
  )
})

test('a topic of 60 code points is kept, and a longer one is truncated with dots', () => {
  assert.equal(requireTopic('😀'.repeat(60)), '😀'.repeat(60))
  assert.equal(requireTopic('😀'.repeat(61)), `${'😀'.repeat(57)}...`)
})

test('control characters, lone surrogates and noncharacters are refused with their position', () => {
  for (const character of ['\u0007', '\ud800', '\ufffe'])
    assert.throws(() => requireTopic(`te${character}a`), /Invalid character in topic, at position 3!/)
})

test('a truncated topic is never too long, and truncating it again changes nothing', () => {
  fc.assert(
    fc.property(topics, (topic) => {
      const cut = truncateTopic(topic)
      assert(Array.from(cut).length <= MAX_TOPIC_LENGTH)
      assert.equal(truncateTopic(cut), cut)
    }),
  )
})

test('resolving and unresolving a topic of any length is recognized both ways', () => {
  fc.assert(
    fc.property(topics.map(truncateTopic), (topic) => {
      fc.pre(!topic.startsWith(RESOLVED_PREFIX))
      const resolved = truncateTopic(RESOLVED_PREFIX + topic)
      assert(isResolutionChange(topic, resolved))
      assert(isResolutionChange(resolved, topic))
    }),
  )
})

test('resolving and renaming at once is not only a resolution', () => {
  assert(!isResolutionChange('tea', '✔ coffee'))
  assert(!isResolutionChange('✔ tea', 'coffee'))
  assert(!isResolutionChange('tea', 'coffee'))
  assert(!isResolutionChange('✔ tea', '✔ coffee'))
  assert(!isResolutionChange('tea', '✔tea'))
})
