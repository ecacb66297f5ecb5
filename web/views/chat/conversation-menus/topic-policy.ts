import { call } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import { topicPolicy } from '../../../store/messages/topic-policy.ts'
import type { Organization, Subscription } from '../../../store/organization.ts'
import { showToast } from '../../../ui/feedback/toasts.ts'
import { topicChoices } from './topic-choices.ts'

type Topic = { readonly channel: Subscription; readonly topic: string }

/** Follows, unfollows, mutes or unmutes a topic; a toast offers to undo it. */
export async function toggleTopicPolicy(
  organization: Pick<Organization, 'user_topics'>,
  target: Topic,
  kind: 'follow' | 'mute',
): Promise<void> {
  const before = topicPolicy(organization.user_topics, target.channel.stream_id, target.topic)
  const { policy, done } = topicChoices(before, target.channel.is_muted)[kind]
  if (await setTopicPolicy(target, policy)) showToast(done, { undo: () => void setTopicPolicy(target, before) })
}

/** Saves the setting of a topic. Shows an error and returns false if that fails. */
async function setTopicPolicy({ channel, topic }: Topic, policy: number): Promise<boolean> {
  try {
    const visibility_policy = policy as 0
    await call('POST /user_topics', { stream_id: channel.stream_id, topic, visibility_policy })
    return true
  } catch (error) {
    showToast(toAppError(error).message, { kind: 'error' })
    return false
  }
}
