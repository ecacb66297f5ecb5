import type { ReactNode } from 'react'
import type { Message } from '../../store/messages/message.ts'
import { isMentioned } from '../../store/messages/narrow.ts'
import { Time } from '../../ui/time.tsx'

/** Who wrote a message, and when. */
export function MessageHead({ message, id }: { message: Message; id?: string }): ReactNode {
  const { sender_full_name, timestamp, last_edit_timestamp, flags } = message
  return (
    <p className="message-head" id={id}>
      <b>{sender_full_name}</b>{' '}
      <span className="soft small">
        <Time at={timestamp} as="ago" />
      </span>
      {last_edit_timestamp !== undefined && <span className="soft small"> · edited</span>}
      {isMentioned(flags) && <span className="visually-hidden">, mentions you</span>}
    </p>
  )
}
