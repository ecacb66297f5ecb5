import type { ReactNode } from 'react'
import type { Message } from '../../../store/messages/message.ts'
import { type Narrow, peopleOf } from '../../../store/messages/narrow.ts'
import { useOrganization } from '../../../store/organization.ts'
import { useConversationName } from '../../../store/people/people.ts'
import { t } from '../../../text/t.ts'
import { NarrowLink } from '../narrow-link.tsx'
import { TopicName } from '../topic-name.tsx'

/** A heading that links to the conversation of the messages below it. */
export function ConversationHeading({ narrow, message }: { narrow: Narrow; message: Message }): ReactNode {
  const { user_id } = useOrganization()
  const nameOf = useConversationName()
  const { stream_id: channelId, subject, display_recipient } = message
  if (channelId === undefined) {
    const people = peopleOf(message, user_id)
    return (
      <h2 className="timeline-place">
        <NarrowLink narrow={{ kind: 'direct', people }} near={message.id}>
          {t('Direct messages with {names}', { names: nameOf(people) })}
        </NarrowLink>
      </h2>
    )
  }
  return (
    <h2 className="timeline-place">
      {narrow.kind !== 'channel' && (
        <>
          <NarrowLink narrow={{ kind: 'channel', channelId }} near={message.id}>
            {String(display_recipient)}
          </NarrowLink>
          {' › '}
        </>
      )}
      <NarrowLink narrow={{ kind: 'topic', channelId, topic: subject }} near={message.id}>
        <TopicName topic={subject} />
      </NarrowLink>
    </h2>
  )
}
