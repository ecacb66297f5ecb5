import type { UserSettings } from '#people/users/settings/settings.ts'
import { type AutomaticPolicy, VisibilityPolicy } from './user-topic.ts'

/** A user's action in a topic. Starting a topic includes sending to it, and sending includes participating. */
export type TopicAction = 'start' | 'send' | 'participate'

type AutomaticSettings = Pick<
  UserSettings,
  'automatically_follow_topics_policy' | 'automatically_unmute_topics_in_muted_streams_policy'
>

/**
 * For each action, the values of the settings that it triggers: 1 for participating, 2 for sending, 3 for starting. 4
 * stands for never.
 */
const triggeringValues: Record<TopicAction, readonly number[]> = { participate: [1], send: [1, 2], start: [1, 2, 3] }

/**
 * Returns the user's new policy for the topic after an action, according to their settings; null if it stays the same.
 * A new policy always shows more of the topic than the current one, even if the current one is muted.
 */
export function automaticPolicy(
  settings: AutomaticSettings,
  action: TopicAction,
  { policy, isChannelMuted }: { policy: VisibilityPolicy; isChannelMuted: boolean },
): AutomaticPolicy | null {
  const values = triggeringValues[action]
  const follows = values.includes(settings.automatically_follow_topics_policy)
  const unmutes = isChannelMuted && values.includes(settings.automatically_unmute_topics_in_muted_streams_policy)
  if (follows) return policy === VisibilityPolicy.followed ? null : VisibilityPolicy.followed
  return unmutes && policy < VisibilityPolicy.unmuted ? VisibilityPolicy.unmuted : null
}

/** Returns whether the action can never change a policy, given these settings. */
export function isNeverAutomatic(settings: AutomaticSettings, action: TopicAction): boolean {
  const values = triggeringValues[action]
  return !values.some(
    (value) =>
      value === settings.automatically_follow_topics_policy ||
      value === settings.automatically_unmute_topics_in_muted_streams_policy,
  )
}

/** The policies, from most to least visible. */
const byVisibility: readonly VisibilityPolicy[] = [
  VisibilityPolicy.followed,
  VisibilityPolicy.unmuted,
  VisibilityPolicy.inherit,
  VisibilityPolicy.muted,
]

/** Returns the policy for a topic into which another topic was merged: the one that shows more. */
export function mergedPolicy(one: VisibilityPolicy, other: VisibilityPolicy): VisibilityPolicy {
  return byVisibility.indexOf(one) < byVisibility.indexOf(other) ? one : other
}
