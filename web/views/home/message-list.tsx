import { type ReactNode, useEffect, useRef } from 'react'
import type { Message } from '../../store/messages.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { MessageContent } from '../../ui/message/message-content.tsx'
import { Time } from '../../ui/time.tsx'
import './message-list.css'

/** Messages in the order of their ids, a heading before each that belongs to another topic than the one before. */
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
          <MessageRow message={message} isShort={isShort} />
        </li>
      ))}
    </ol>
  )
}

function TopicHeading({ topic, isShort }: { topic: string; isShort: boolean }): ReactNode {
  const Heading = isShort ? 'h3' : 'h2'
  return <Heading className="topic">{topic === '' ? <i>general chat</i> : topic}</Heading>
}

function MessageRow({ message, isShort }: { message: Message; isShort: boolean }): ReactNode {
  const { sender_full_name: name, avatar_url, timestamp, content, last_edit_timestamp } = message
  return (
    <article className="message">
      <Avatar name={name} url={avatar_url} />
      <div className="message-body">
        <p className="message-head">
          <b>{name}</b>{' '}
          <span className="soft small">
            <Time at={timestamp} as="ago" />
          </span>
          {last_edit_timestamp !== undefined && <span className="soft small"> · edited</span>}
        </p>
        {isShort ? <Excerpt html={content} /> : <MessageContent html={content} />}
      </div>
    </article>
  )
}

/** The beginning of a long message, which fades out where it is cut off. */
function Excerpt({ html }: { html: string }): ReactNode {
  const excerpt = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const { current } = excerpt
    if (current === null) return
    const observer = new ResizeObserver(() =>
      current.toggleAttribute('data-cut', current.scrollHeight > current.clientHeight + 1),
    )
    observer.observe(current.firstElementChild!)
    return () => observer.disconnect()
  }, [])
  return (
    <div ref={excerpt} className="message-excerpt">
      <MessageContent html={html} />
    </div>
  )
}
