import { TopicPolicy } from '../../../store/messages/message.ts'
import { t } from '../../../text/t.ts'

export type TopicChoice = { label: string; policy: number; done: string }

/**
 * Returns the follow and mute actions of a topic. They depend on its current policy and on whether the channel is
 * muted.
 */
export function topicChoices(policy: number, isChannelMuted: boolean): { follow: TopicChoice; mute: TopicChoice } {
  const isFollowed = policy === TopicPolicy.followed
  const isMuted = policy === TopicPolicy.muted || (isChannelMuted && policy === TopicPolicy.inherit)
  return {
    follow: isFollowed
      ? { label: t('Unfollow topic'), policy: TopicPolicy.inherit, done: t('Topic unfollowed') }
      : { label: t('Follow topic'), policy: TopicPolicy.followed, done: t('Following topic') },
    mute: isMuted
      ? {
          label: t('Unmute topic'),
          policy: isChannelMuted ? TopicPolicy.unmuted : TopicPolicy.inherit,
          done: t('Topic unmuted'),
        }
      : {
          label: t('Mute topic'),
          policy: isChannelMuted ? TopicPolicy.inherit : TopicPolicy.muted,
          done: t('Topic muted'),
        },
  }
}
