import { topicTitle } from '../../store/messages/topic-title.ts'
import { useOrganization } from '../../store/organization.ts'
import { useConversationName } from '../../store/people/people.ts'
import { t } from '../../text/t.ts'
import { useMedia } from '../../ui/layout/use-media.ts'
import { PHONE } from '../../ui/layout/widths.ts'
import type { Destination } from './destination.ts'

/**
 * Returns the names of a destination: `label` for screen readers, `placeholder` for an empty box. `isNamedByPage` is
 * true if the page shows only the conversation.
 */
export function useDestinationName() {
  const { subscriptions, realm_mandatory_topics } = useOrganization()
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
      return t('Message #{channel} › {topic}', { channel, topic: topicTitle(topic) })
    },
  }
}
