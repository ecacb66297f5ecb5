import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TopicPolicy } from '../messages/message.ts'
import { topicChoices } from './topic-choices.ts'

const { inherit, muted, unmuted, followed } = TopicPolicy

const next = (policy: number, isChannelMuted: boolean) =>
  Object.values(topicChoices(policy, isChannelMuted)).map((choice) => [choice.label, choice.policy])

test('a topic can be followed, muted, and reset', () => {
  assert.deepEqual(next(inherit, false), [
    ['Follow topic', followed],
    ['Mute topic', muted],
  ])
  assert.deepEqual(next(followed, false), [
    ['Unfollow topic', inherit],
    ['Mute topic', muted],
  ])
  assert.deepEqual(next(muted, false), [
    ['Follow topic', followed],
    ['Unmute topic', inherit],
  ])
})

test('in a muted channel, topics are muted by default', () => {
  assert.deepEqual(next(inherit, true), [
    ['Follow topic', followed],
    ['Unmute topic', unmuted],
  ])
  assert.deepEqual(next(unmuted, true), [
    ['Follow topic', followed],
    ['Mute topic', inherit],
  ])
  assert.deepEqual(next(muted, true), [
    ['Follow topic', followed],
    ['Unmute topic', unmuted],
  ])
})
