import { isResolved } from '#rules/topics.ts'
import { topicTitle } from '../messages/narrow.ts'
import { useOrganization } from '../store/organization.ts'
import { useConversationName } from '../store/people.ts'
import { t } from '../text/t.ts'
import { PHONE, useMedia } from '../ui/use-media.ts'
import type { Destination } from './destination.ts'

/** Returns the name of a topic. Resolved topics are named as such, since an open topic may have the same name. */
const nameOfTopic = (topic: string): string =>
  isResolved(topic) ? t('{topic} (resolved)', { topic: topicTitle(topic) }) : topicTitle(topic)

/**
 * Returns the names of a destination: `label` for screen readers, `placeholder` for an empty box. `isNamedByPage` is
 * true if the page shows only the conversation.
 */
export function useDestinationName() {
  const { subscriptions, realm_mandatory_topics } = useOrganization('subscriptions', 'realm_mandatory_topics')
  const nameOf = useConversationName()
  const isPhone = useMedia(PHONE)
  const channelOf = (id: number | null) => subscriptions.find(({ stream_id }) => stream_id === id)?.name
  return {
    label(destination: Destination): string {
      const name = destination.kind === 'direct' ? nameOf(destination.people) : (channelOf(destination.channelId) ?? '')
      return name === '' ? t('Message') : t('Message {name}', { name })
    },
    placeholder(destination: Destination, isNamedByPage: boolean): string {
      if (destination.kind === 'direct') {
        if (destination.people.length === 0) return t('Write a message')
        return isPhone && isNamedByPage ? t('Message') : t('Message {name}', { name: nameOf(destination.people) })
      }
      const channel = channelOf(destination.channelId)
      const { topic } = destination
      if (channel === undefined) return t('Write a message')
      // Phones have no room for the names here. The header shows them if the page is the conversation.
      if (isPhone && isNamedByPage) return t('Message')
      if (topic === '' && realm_mandatory_topics) return t('Message #{channel}', { channel })
      return t('Message #{channel} › {topic}', { channel, topic: nameOfTopic(topic) })
    },
  }
}

/** The destination of a message; `topic` is null if none is chosen. */
export type MessageDestination =
  | { readonly people: readonly number[] }
  | { readonly channelId: number | undefined; readonly topic: string | null }

/** Returns a function that names a destination. Without recipients, it names a new message. */
export function useDestinationTitle(): (destination: MessageDestination) => string {
  const { subscriptions } = useOrganization('subscriptions')
  const nameOf = useConversationName()
  return (destination) => {
    if ('people' in destination) return destination.people.length === 0 ? t('New message') : nameOf(destination.people)
    const { channelId, topic } = destination
    if (channelId === undefined) return t('New message')
    const channel =
      subscriptions.find(({ stream_id }) => stream_id === channelId)?.name ?? t('Channel you’re not subscribed to')
    return topic === null ? channel : `${channel} › ${nameOfTopic(topic)}`
  }
}
