import { topicTitle } from '../../../store/messages/topic-title.ts'
import { useOrganization } from '../../../store/organization.ts'
import { useConversationName } from '../../../store/people/people.ts'
import { t } from '../../../text/t.ts'

/** The destination of a message; `topic` is null if none is chosen. */
export type MessageDestination =
  | { readonly people: readonly number[] }
  | { readonly channelId: number | undefined; readonly topic: string | null }

/** Returns a function that names a destination. Without recipients, it names a new message. */
export function useDestinationTitle(): (destination: MessageDestination) => string {
  const { subscriptions } = useOrganization()
  const nameOf = useConversationName()
  return (destination) => {
    if ('people' in destination) return destination.people.length === 0 ? t('New message') : nameOf(destination.people)
    const { channelId, topic } = destination
    if (channelId === undefined) return t('New message')
    const channel =
      subscriptions.find(({ stream_id }) => stream_id === channelId)?.name ?? t('Channel you’re not subscribed to')
    return topic === null ? channel : `${channel} › ${topicTitle(topic)}`
  }
}
