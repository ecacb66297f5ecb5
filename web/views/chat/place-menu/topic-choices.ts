import { TopicPolicy } from '../../../store/messages/message.ts'

export type TopicChoice = { label: string; policy: number; done: string }

/** What one may choose about a topic next, from what one has chosen and whether its channel is muted. */
export function topicChoices(policy: number, isChannelMuted: boolean): TopicChoice[] {
  const isFollowed = policy === TopicPolicy.followed
  const isMuted = policy === TopicPolicy.muted || (isChannelMuted && policy === TopicPolicy.inherit)
  return [
    isFollowed
      ? { label: 'Stop following', policy: TopicPolicy.inherit, done: 'You no longer follow this topic' }
      : { label: 'Follow', policy: TopicPolicy.followed, done: 'You follow this topic' },
    isMuted
      ? { label: 'Unmute', policy: isChannelMuted ? TopicPolicy.unmuted : TopicPolicy.inherit, done: 'Unmuted' }
      : { label: 'Mute', policy: isChannelMuted ? TopicPolicy.inherit : TopicPolicy.muted, done: 'Muted' },
  ]
}
