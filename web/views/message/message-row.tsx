import { type MouseEvent, memo, type ReactNode, useRef, useState } from 'react'
import type { Message } from '../../store/messages/message.ts'
import { isMentioned } from '../../store/messages/narrow.ts'
import { useIsMuted } from '../../store/people/muted.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { Avatar } from '../../ui/people/avatar.tsx'
import { Time } from '../../ui/time/time.tsx'
import { PersonCard } from '../people/cards/cards.ts'
import { MessageBody } from './message-body.tsx'
import { Changes, MessageHead } from './message-head.tsx'

/**
 * A message with its sender, time, content and actions. Messages of muted senders are shown on request. `isGrouped`
 * hides the sender and shows the time at the edge. `isStop` makes this the row that Tab leads to. `isNear` highlights
 * the row.
 */
export function MessageRow(props: {
  message: Message
  isGrouped?: boolean
  isStop?: boolean
  isNear?: boolean
}): ReactNode {
  const { message, isGrouped = false, isStop = false, isNear = false } = props
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
      data-mentioned={isMentioned(flags) ? '' : undefined}
      data-near={isNear ? '' : undefined}
      data-grouped={isGrouped ? '' : undefined}
    >
      {isHidden ? (
        <p className="message-muted soft" id={headId}>
          {t('This message is from someone you muted.')}{' '}
          <Button kind="quiet" onPress={reveal}>
            {t('Show message')}
          </Button>
        </p>
      ) : (
        <ShownMessage message={message} headId={headId} isGrouped={isGrouped} />
      )}
    </article>
  )
}

type ShownProps = { message: Message; headId: string; isGrouped: boolean }

const ShownMessage = memo(function ShownMessage({ message, headId, isGrouped }: ShownProps): ReactNode {
  const [cardTrigger, setCardTrigger] = useState<Element | null>(null)
  const openCard = ({ currentTarget }: MouseEvent) => setCardTrigger(currentTarget)
  return (
    <>
      {isGrouped ? (
        <span className="message-gutter" aria-hidden="true">
          <Time at={message.timestamp} as="clock" />
        </span>
      ) : (
        // The sender's name is a button with the same effect.
        <button type="button" className="message-avatar" tabIndex={-1} aria-hidden="true" onClick={openCard}>
          <Avatar id={message.sender_id} name={message.sender_full_name} url={message.avatar_url} />
        </button>
      )}
      <div className="message-body">
        <MessageHead message={message} id={headId} onSender={openCard} isHidden={isGrouped} />
        <MessageBody message={message} />
        {isGrouped && <Changes message={message} />}
      </div>
      {cardTrigger && (
        <PersonCard userId={message.sender_id} trigger={cardTrigger} onClose={() => setCardTrigger(null)} />
      )}
    </>
  )
})
