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
  place: Topic,
  kind: 'follow' | 'mute',
): Promise<void> {
  const before = topicPolicy(organization.user_topics, place.channel.stream_id, place.topic)
  const { policy, done } = topicChoices(before, place.channel.is_muted)[kind]
  if (await setTopicPolicy(place, policy)) showToast(done, { undo: () => void setTopicPolicy(place, before) })
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
