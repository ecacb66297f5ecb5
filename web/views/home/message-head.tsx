import type { ReactNode } from 'react'
import type { Message } from '../../store/message.ts'
import { Time } from '../../ui/time.tsx'

/** Who wrote a message, and when. */
export function MessageHead({ message }: { message: Message }): ReactNode {
  const { sender_full_name, timestamp, last_edit_timestamp } = message
  return (
    <p className="message-head">
      <b>{sender_full_name}</b>{' '}
      <span className="soft small">
        <Time at={timestamp} as="ago" />
      </span>
      {last_edit_timestamp !== undefined && <span className="soft small"> · edited</span>}
    </p>
  )
}
