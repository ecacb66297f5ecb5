import { TopicPolicy } from '../../../store/messages/message.ts'
import { t } from '../../../text/t.ts'

export type TopicChoice = { label: string; policy: number; done: string }

/** What one may choose about a topic next, from what one has chosen and whether its channel is muted. */
export function topicChoices(policy: number, isChannelMuted: boolean): TopicChoice[] {
  const isFollowed = policy === TopicPolicy.followed
  const isMuted = policy === TopicPolicy.muted || (isChannelMuted && policy === TopicPolicy.inherit)
  return [
    isFollowed
      ? { label: t('Stop following'), policy: TopicPolicy.inherit, done: t('You no longer follow this topic') }
      : { label: t('Follow'), policy: TopicPolicy.followed, done: t('You follow this topic') },
    isMuted
      ? { label: t('Unmute'), policy: isChannelMuted ? TopicPolicy.unmuted : TopicPolicy.inherit, done: t('Unmuted') }
      : { label: t('Mute'), policy: isChannelMuted ? TopicPolicy.inherit : TopicPolicy.muted, done: t('Muted') },
  ]
}
