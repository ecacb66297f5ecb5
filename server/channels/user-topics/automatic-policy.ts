import type { UserSettings } from '../../people/users/settings/settings.ts'
import { type AutomaticPolicy, VisibilityPolicy } from './user-topic.ts'

/** What somebody does in a topic. Who starts it sends to it as well, and who sends takes part. */
export type TopicAction = 'start' | 'send' | 'takePart'

type AutomaticSettings = Pick<
  UserSettings,
  'automatically_follow_topics_policy' | 'automatically_unmute_topics_in_muted_streams_policy'
>

/** The values of the settings that ask for something after the deed: 1 takes part, 2 sends, 3 starts; 4 never. */
const triggeringValues: Record<TopicAction, readonly number[]> = { takePart: [1], send: [1, 2], start: [1, 2, 3] }

/**
 * What somebody wants to see of a topic after the deed, by their settings; null when it stays as it is. It only ever
 * becomes more, even where they have muted the topic.
 */
export function automaticPolicy(
  settings: AutomaticSettings,
  deed: TopicAction,
  { policy, isChannelMuted }: { policy: VisibilityPolicy; isChannelMuted: boolean },
): AutomaticPolicy | null {
  const met = triggeringValues[deed]
  const follows = met.includes(settings.automatically_follow_topics_policy)
  const unmutes = isChannelMuted && met.includes(settings.automatically_unmute_topics_in_muted_streams_policy)
  if (follows) return policy === VisibilityPolicy.followed ? null : VisibilityPolicy.followed
  return unmutes && policy < VisibilityPolicy.unmuted ? VisibilityPolicy.unmuted : null
}

/** Whether no deed of this kind can change what such settings ask for. */
export function isNeverAutomatic(settings: AutomaticSettings, deed: TopicAction): boolean {
  const met = triggeringValues[deed]
  return !met.some(
    (value) =>
      value === settings.automatically_follow_topics_policy ||
      value === settings.automatically_unmute_topics_in_muted_streams_policy,
  )
}

/** From the most that people want to see to the least. */
const byVisibility: readonly VisibilityPolicy[] = [
  VisibilityPolicy.followed,
  VisibilityPolicy.unmuted,
  VisibilityPolicy.inherit,
  VisibilityPolicy.muted,
]

/** What somebody wants to see of a topic that another went into: the more of the two. */
export function mergedPolicy(one: VisibilityPolicy, other: VisibilityPolicy): VisibilityPolicy {
  return byVisibility.indexOf(one) < byVisibility.indexOf(other) ? one : other
}
