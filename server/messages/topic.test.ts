import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { cutTopic, isResolutionChange, MAX_TOPIC_LENGTH, RESOLVED_PREFIX, requireTopic, shownTopic } from './topic.ts'

const topics = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 90 }).map((text) => `a${text}`.trim())

test('both names of the topic without a name store the empty topic, and only when spelled so', () => {
  assert.deepEqual(['general chat', ' (no topic) ', '', 'General Chat'].map(requireTopic), ['', '', '', 'General Chat'])
})

test('the empty topic is shown under a name to clients that cannot handle it', () => {
  assert.deepEqual([shownTopic('', false), shownTopic('', true), shownTopic('tea', false)], ['general chat', '', 'tea'])
})

test('a topic of 60 code points stays, and a longer one ends in dots', () => {
  assert.equal(requireTopic('😀'.repeat(60)), '😀'.repeat(60))
  assert.equal(requireTopic('😀'.repeat(61)), `${'😀'.repeat(57)}...`)
})

test('control characters, lone surrogates and non-characters are refused with their position', () => {
  for (const character of ['\u0007', '\ud800', '\ufffe'])
    assert.throws(() => requireTopic(`te${character}a`), /Invalid character in topic, at position 3!/)
})

test('no topic grows beyond its length, and cutting twice is cutting once', () => {
  fc.assert(
    fc.property(topics, (topic) => {
      const cut = cutTopic(topic)
      assert(Array.from(cut).length <= MAX_TOPIC_LENGTH)
      assert.equal(cutTopic(cut), cut)
    }),
  )
})

test('resolving and unresolving a topic of any length is recognized both ways', () => {
  fc.assert(
    fc.property(topics.map(cutTopic), (topic) => {
      fc.pre(!topic.startsWith(RESOLVED_PREFIX))
      const resolved = cutTopic(RESOLVED_PREFIX + topic)
      assert(isResolutionChange(topic, resolved))
      assert(isResolutionChange(resolved, topic))
    }),
  )
})

test('resolving and renaming at once is more than resolving', () => {
  assert(!isResolutionChange('tea', '✔ coffee'))
  assert(!isResolutionChange('✔ tea', 'coffee'))
  assert(!isResolutionChange('tea', 'coffee'))
  assert(!isResolutionChange('✔ tea', '✔ coffee'))
  assert(!isResolutionChange('tea', '✔tea'))
})
