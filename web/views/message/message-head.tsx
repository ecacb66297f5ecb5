import type { ReactNode } from 'react'
import type { Message } from '../../store/messages/message.ts'
import { isMentioned } from '../../store/messages/narrow.ts'
import { useTypists } from '../../store/messages/typists.ts'
import { t } from '../../text/t.ts'
import { Time } from '../../ui/text/time.tsx'

/** The sender and time of a message. */
export function MessageHead({ message, id }: { message: Message; id?: string }): ReactNode {
  const { sender_full_name, timestamp, flags } = message
  return (
    <p className="message-head" id={id}>
      <b>{sender_full_name}</b>{' '}
      <span className="soft small message-time">
        <Time at={timestamp} as="ago" />
      </span>
      <Edited message={message} />
      {isMentioned(flags) && <span className="visually-hidden">{t(', mentions you')}</span>}
    </p>
  )
}

function Edited({ message: { id, last_edit_timestamp } }: { message: Message }): ReactNode {
  const isBeingEdited = useTypists({ kind: 'message', id }).length > 0
  if (!isBeingEdited && last_edit_timestamp === undefined) return null
  return <span className="soft small"> · {isBeingEdited ? t('editing…') : t('edited')}</span>
}
