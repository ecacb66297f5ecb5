import assert from 'node:assert/strict'
import { test } from 'node:test'
import { automaticPolicy, mergedPolicy, type TopicAction } from './user-topics.ts'

type Policy = 0 | 1 | 2 | 3

function becomes(action: TopicAction, follow: number, unmute: number, policy: Policy, isChannelMuted: boolean) {
  const settings = {
    automatically_follow_topics_policy: follow,
    automatically_unmute_topics_in_muted_streams_policy: unmute,
  }
  return automaticPolicy(settings as never, action, { policy, isChannelMuted })
}

test('topics are followed after the action that the setting names', () => {
  const actions: TopicAction[] = ['participate', 'send', 'start']
  const followedBy = (setting: number) => actions.filter((action) => becomes(action, setting, 4, 0, false) === 3)

  assert.deepEqual(followedBy(1), ['participate', 'send', 'start'])
  assert.deepEqual(followedBy(2), ['send', 'start'])
  assert.deepEqual(followedBy(3), ['start'])
  assert.deepEqual(followedBy(4), [])
})

test('only topics of muted channels are unmuted, and following takes precedence', () => {
  assert.equal(becomes('send', 4, 2, 0, true), 2)
  assert.equal(becomes('send', 4, 2, 0, false), null)
  assert.equal(becomes('participate', 4, 2, 0, true), null)
  assert.equal(becomes('send', 1, 1, 0, true), 3)
})

test('an action never makes a policy show less, and it makes muted topics visible', () => {
  const followed = ([0, 1, 2, 3] as const).map((policy) => becomes('send', 2, 4, policy, true))
  const unmuted = ([0, 1, 2, 3] as const).map((policy) => becomes('send', 4, 2, policy, true))

  assert.deepEqual(followed, [3, 3, 3, null])
  assert.deepEqual(unmuted, [2, 2, null, null])
})

test('of two policies, the one that shows more applies', () => {
  const policies = [3, 2, 0, 1] as const
  for (const [rank, more] of policies.entries()) {
    for (const less of policies.slice(rank)) {
      assert.equal(mergedPolicy(more, less), more)
      assert.equal(mergedPolicy(less, more), more)
    }
  }
})
