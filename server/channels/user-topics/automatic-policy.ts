import type { UserSettings } from '../../people/users/settings/settings.ts'
import { type AutomaticPolicy, VisibilityPolicy } from './user-topic.ts'

/** A user's action in a topic. Starting a topic includes sending to it, and sending includes taking part. */
export type TopicAction = 'start' | 'send' | 'participate'

type AutomaticSettings = Pick<
  UserSettings,
  'automatically_follow_topics_policy' | 'automatically_unmute_topics_in_muted_streams_policy'
>

/**
 * The values of the settings that each action triggers: 1 for taking part, 2 for sending, 3 for starting; 4 is never.
 */
const triggeringValues: Record<TopicAction, readonly number[]> = { participate: [1], send: [1, 2], start: [1, 2, 3] }

/**
 * Returns the user's new policy for the topic after an action, by their settings; null if it stays the same. A new
 * policy always shows more of the topic than the current one, even if that is muted.
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

/** Returns whether the action never changes a policy with these settings. */
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

/** Returns the policy that shows more, for a topic into which another topic was merged. */
export function mergedPolicy(one: VisibilityPolicy, other: VisibilityPolicy): VisibilityPolicy {
  return byVisibility.indexOf(one) < byVisibility.indexOf(other) ? one : other
}
