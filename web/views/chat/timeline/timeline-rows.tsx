import { type FocusEvent, memo, type ReactNode, useState } from 'react'
import type { Message } from '../../../store/messages/message.ts'
import { isSameTopic, type Narrow } from '../../../store/messages/narrow.ts'
import '../../message/message-list.css'
import { t } from '../../../text/t.ts'
import { MessageRow } from '../../message/message-row.tsx'
import { ConversationHeading } from './conversation-heading.tsx'
import { dayLabel, dayOf } from './days.ts'

/**
 * Messages in the order of their ids, with what parts them: days, places, and where one had not read on. One of them is
 * reached by Tab; J and K go on from there.
 */
export function TimelineRows(props: {
  narrow: Narrow
  messages: readonly Message[]
  firstUnreadId: number | null
  nearId: unknown
}): ReactNode {
  const { narrow, messages, firstUnreadId, nearId } = props
  const [chosenId, choose] = useState<number>()
  const stopId = messages.some(({ id }) => id === chosenId) ? chosenId : (firstUnreadId ?? messages.at(-1)?.id)
  const showsPlaces = narrow.kind !== 'topic' && narrow.kind !== 'direct'
  const onFocus = ({ target }: FocusEvent) => {
    const row = target.closest<HTMLElement>('[data-message]')
    if (row !== null) choose(Number(row.dataset['message']))
  }
  return (
    <ol className="message-list" onFocus={onFocus}>
      {messages.map((message, at) => {
        const before = messages[at - 1]
        const isNewDay = before === undefined || dayOf(before.timestamp) !== dayOf(message.timestamp)
        const isUnreadStart = message.id === firstUnreadId
        return (
          <li key={message.id}>
            {isNewDay && <p className="timeline-day">{dayLabel(message.timestamp)}</p>}
            {isUnreadStart && <p className="timeline-unread">{t('New')}</p>}
            {showsPlaces && (isNewDay || !isSamePlace(before, message)) && (
              <ConversationHeading narrow={narrow} message={message} />
            )}
            <Row message={message} isStop={message.id === stopId} isNear={message.id === nearId} />
          </li>
        )
      })}
    </ol>
  )
}

const Row = memo(MessageRow)

const isSamePlace = (one: Message, other: Message): boolean =>
  one.type === other.type &&
  one.stream_id === other.stream_id &&
  one.recipient_id === other.recipient_id &&
  isSameTopic(one.subject, other.subject)
