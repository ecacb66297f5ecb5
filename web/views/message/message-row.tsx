import { type ReactNode, useRef, useState } from 'react'
import type { Message } from '../../store/messages/message.ts'
import { isMentioned } from '../../store/messages/narrow.ts'
import { useIsMuted } from '../../store/people/muted.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { Avatar } from '../../ui/people/avatar.tsx'
import { MessageBody } from './message-body.tsx'
import { MessageHead } from './message-head.tsx'

/** A message as a whole: who wrote it, when, and what; of those whom one has muted only once one asks for it. `isStop` says that Tab leads to it, `isNear` that a link did. */
export function MessageRow(props: { message: Message; isStop?: boolean; isNear?: boolean }): ReactNode {
  const { message, isStop = false, isNear = false } = props
  const { id, flags } = message
  const headId = `message-${id}`
  const [isShown, show] = useState(false)
  const isHidden = useIsMuted(message.sender_id) && !isShown
  const row = useRef<HTMLElement>(null)

  function reveal() {
    // The focused button is removed.
    row.current?.focus({ preventScroll: true })
    show(true)
  }

  return (
    <article
      ref={row}
      className="message"
      aria-labelledby={headId}
      tabIndex={isStop ? 0 : -1}
      data-message={id}
      data-unread={flags.includes('read') ? undefined : ''}
      data-mentioned={isMentioned(flags) ? '' : undefined}
      data-near={isNear ? '' : undefined}
    >
      {isHidden ? (
        <p className="message-muted soft" id={headId}>
          {t('This message is from someone you muted.')}{' '}
          <Button kind="quiet" onPress={reveal}>
            {t('Show message')}
          </Button>
        </p>
      ) : (
        <>
          <Avatar id={message.sender_id} name={message.sender_full_name} url={message.avatar_url} />
          <div className="message-body">
            <MessageHead message={message} id={headId} />
            <MessageBody message={message} />
          </div>
        </>
      )}
    </article>
  )
}
