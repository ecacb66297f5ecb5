import type { MouseEvent, ReactNode } from 'react'
import type { Message } from '../../store/messages/message.ts'
import { isMentioned } from '../../store/messages/narrow.ts'
import { useTypists } from '../../store/messages/typists.ts'
import { useOrganizationPart, usePerson } from '../../store/organization.ts'
import { useNamesakeDetail } from '../../store/people/people.ts'
import { t } from '../../text/t.ts'
import { Badge } from '../../ui/text/badge.tsx'
import { Time } from '../../ui/time/time.tsx'
import { GuestBadge } from '../people/guest-badge.tsx'
import { StatusEmoji } from '../people/status-emoji.tsx'

/**
 * The sender and time of a message. Users with the same name are told apart. `onSender` makes the name a button. With `isHidden`, only screen readers get both.
 */
export function MessageHead(props: {
  message: Message
  id?: string
  onSender?: (event: MouseEvent) => void
  isHidden?: boolean
}): ReactNode {
  const { message, id, onSender, isHidden = false } = props
  const { sender_full_name, timestamp, flags } = message
  return (
    <p className={isHidden ? 'message-head visually-hidden' : 'message-head'} id={id}>
      {onSender === undefined || isHidden ? (
        <b className="message-sender">{sender_full_name}</b>
      ) : (
        <button type="button" className="message-sender" onClick={onSender}>
          {sender_full_name}
        </button>
      )}{' '}
      <SenderDetail senderId={message.sender_id} />
      {!isHidden && <SenderMarks senderId={message.sender_id} />}
      <span className="message-time">
        <Time at={timestamp} as="clock" />
      </span>
      {!isHidden && <Changes message={message} />}
      {isMentioned(flags) && <span className="visually-hidden">{t(', mentions you')}</span>}
    </p>
  )
}

function SenderDetail({ senderId }: { senderId: number }): ReactNode {
  const detail = useNamesakeDetail(usePerson(senderId))
  return (
    detail !== null && (
      <span className="message-namesake" title={detail}>
        {detail}
      </span>
    )
  )
}

/** Marks bots and guests, and shows the status emoji. */
function SenderMarks({ senderId }: { senderId: number }): ReactNode {
  const person = usePerson(senderId)
  const status = useOrganizationPart(({ user_status }) => user_status[String(senderId)])
  return (
    <>
      {person?.is_bot === true && <Badge>{t('Bot')}</Badge>}
      {person?.is_guest === true && <GuestBadge />}
      <StatusEmoji status={status} />
    </>
  )
}

/** Shows that a message was edited or moved, or is being edited. */
export function Changes({ message }: { message: Message }): ReactNode {
  const { id, last_edit_timestamp, last_moved_timestamp } = message
  const isBeingEdited = useTypists({ kind: 'message', id }).length > 0
  const text = isBeingEdited
    ? t('editing…')
    : last_edit_timestamp !== undefined
      ? t('edited')
      : last_moved_timestamp !== undefined
        ? t('moved')
        : null
  return text === null ? null : <span className="message-changes">{text}</span>
}
