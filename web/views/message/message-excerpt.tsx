import { type ReactNode, useEffect, useRef } from 'react'
import { useAlertWords } from '../../store/messages/alert-words.ts'
import type { Message } from '../../store/messages/message.ts'
import { useMutedIds } from '../../store/people/muted.ts'
import { t } from '../../text/t.ts'
import { Avatar } from '../../ui/people/avatar.tsx'
import { RenderedContent } from './content/rendered-content.tsx'
import { MessageHead } from './message-head.tsx'

/** A message, cut off if it is long, and hidden if its sender is muted. */
export function MessageExcerpt({ message }: { message: Message }): ReactNode {
  const isHidden = useMutedIds().has(message.sender_id)
  return isHidden ? (
    <p className="soft">{t('This message is from someone you muted.')}</p>
  ) : (
    <Excerpt message={message} />
  )
}

/** The text fades out where it is cut off. */
function Excerpt({ message }: { message: Message }): ReactNode {
  const excerpt = useRef<HTMLDivElement>(null)
  const alertWords = useAlertWords(message)
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
    <article className="message">
      <Avatar id={message.sender_id} name={message.sender_full_name} url={message.avatar_url} />
      <div className="message-body">
        <MessageHead message={message} />
        <div ref={excerpt} className="message-excerpt">
          <RenderedContent html={message.content} words={alertWords} />
        </div>
      </div>
    </article>
  )
}
