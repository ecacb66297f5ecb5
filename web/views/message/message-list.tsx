import type { ReactNode } from 'react'
import type { Message } from '../../store/messages/message.ts'
import './message-list.css'
import { t } from '../../text/t.ts'
import { MessageExcerpt } from './message-excerpt.tsx'
import { MessageRow } from './message-row.tsx'

/** Messages in the order of their ids, with a heading where the topic changes. */
export function MessageList({
  messages,
  isShort = false,
}: {
  messages: readonly Message[]
  isShort?: boolean
}): ReactNode {
  return (
    <ol className={isShort ? 'message-list message-list-short' : 'message-list'}>
      {messages.map((message, at) => (
        <li key={message.id}>
          {message.subject !== messages[at - 1]?.subject && <TopicHeading topic={message.subject} isShort={isShort} />}
          {isShort ? <MessageExcerpt message={message} /> : <MessageRow message={message} />}
        </li>
      ))}
    </ol>
  )
}

function TopicHeading({ topic, isShort }: { topic: string; isShort: boolean }): ReactNode {
  const Heading = isShort ? 'h3' : 'h2'
  return <Heading className="topic">{topic === '' ? <i>{t('general chat')}</i> : topic}</Heading>
}
