import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TopicPolicy } from '../../../store/messages/message.ts'
import { topicChoices } from './topic-choices.ts'

const { inherit, muted, unmuted, followed } = TopicPolicy

const next = (policy: number, isChannelMuted: boolean) =>
  topicChoices(policy, isChannelMuted).map((choice) => [choice.label, choice.policy])

test('a topic is followed and muted, and neither again', () => {
  assert.deepEqual(next(inherit, false), [
    ['Follow', followed],
    ['Mute', muted],
  ])
  assert.deepEqual(next(followed, false), [
    ['Stop following', inherit],
    ['Mute', muted],
  ])
  assert.deepEqual(next(muted, false), [
    ['Follow', followed],
    ['Unmute', inherit],
  ])
})

test('in a muted channel a topic is muted as long as nothing else is said', () => {
  assert.deepEqual(next(inherit, true), [
    ['Follow', followed],
    ['Unmute', unmuted],
  ])
  assert.deepEqual(next(unmuted, true), [
    ['Follow', followed],
    ['Mute', inherit],
  ])
  assert.deepEqual(next(muted, true), [
    ['Follow', followed],
    ['Unmute', unmuted],
  ])
})
