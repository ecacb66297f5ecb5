import { type Message, TopicPolicy } from '../messages/message.ts'
import { t } from '../text/t.ts'

type TopicChoice = { label: string; policy: number; done: string }

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

/**
 * Deletes one part after another until nothing is left. Returns false if `signal` is aborted first; parts that are
 * already deleted are not restored. Calls `onMore` after each part that leaves more to delete.
 */
export async function deleteInParts(options: {
  deletePart: () => Promise<{ complete: boolean }>
  onMore: () => void
  signal: AbortSignal
}): Promise<boolean> {
  const { deletePart, onMore, signal } = options
  while (!signal.aborted) {
    const { complete } = await deletePart()
    if (complete) return true
    onMore()
  }
  return false
}

/**
 * Returns the topic of the newest message, except for topics in which only the server's bots wrote. Returns the empty
 * topic if there is none.
 */
export function suggestedTopic(
  messages: readonly Pick<Message, 'sender_id' | 'subject'>[],
  systemBotIds: readonly number[],
): string {
  const written = messages.filter(({ sender_id }) => !systemBotIds.includes(sender_id))
  const topics = new Set(written.map(({ subject }) => subject.toLowerCase()))
  return messages.findLast(({ subject }) => topics.has(subject.toLowerCase()))?.subject ?? ''
}
