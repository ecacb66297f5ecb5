import type { ReactNode } from 'react'
import type { Message } from '../../store/message.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { MessageBody } from '../message/message-body.tsx'
import { MessageHead } from './message-head.tsx'

/** A message as a whole: who wrote it, when, and what. */
export function MessageRow({ message }: { message: Message }): ReactNode {
  return (
    <article className="message" data-message={message.id}>
      <Avatar name={message.sender_full_name} url={message.avatar_url} />
      <div className="message-body">
        <MessageHead message={message} />
        <MessageBody message={message} />
      </div>
    </article>
  )
}
