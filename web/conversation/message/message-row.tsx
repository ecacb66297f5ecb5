import CornerUpRight from 'lucide-react/icons/corner-up-right'
import Ellipsis from 'lucide-react/icons/ellipsis'
import Pencil from 'lucide-react/icons/pencil'
import Star from 'lucide-react/icons/star'
import { type MouseEvent, memo, type ReactNode, useRef, useState } from 'react'
import type { Message } from '../../messages/message.ts'
import { isMentioned } from '../../messages/narrow.ts'
import { useTypists } from '../../messages/typists.ts'
import { PersonCard } from '../../people/cards.tsx'
import { GuestBadge } from '../../people/guest-badge.tsx'
import { StatusEmoji } from '../../people/person-icon.tsx'
import { useOrganizationPart, usePerson } from '../../store/organization.ts'
import { useIsMuted, useNamesakeDetail } from '../../store/people.ts'
import { t } from '../../text/t.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Time } from '../../ui/time.tsx'
import * as css from '../timeline.module.css'
import { MessageBody } from './message-body.tsx'

/**
 * The sender and time of a message. Users with the same name are told apart. `onSender` makes the name a button. With `isHidden`, only screen readers get both.
 */
function MessageHead(props: {
  message: Message
  id?: string
  onSender?: (event: MouseEvent) => void
  isHidden?: boolean
}): ReactNode {
  const { message, id, onSender, isHidden = false } = props
  const { sender_full_name, timestamp, flags } = message
  return (
    <p className={isHidden ? `${css.messageHead} visually-hidden` : css.messageHead} id={id}>
      {onSender === undefined || isHidden ? (
        <b className={css.messageSender}>{sender_full_name}</b>
      ) : (
        <button type="button" className={css.messageSender} onClick={onSender}>
          {sender_full_name}
        </button>
      )}{' '}
      <SenderDetail senderId={message.sender_id} />
      {!isHidden && <SenderMarks senderId={message.sender_id} />}
      <span className={css.messageTime}>
        <Time at={timestamp} as="clock" />
      </span>
      <Marks message={message} />
      {isMentioned(flags) && <span className="visually-hidden">{t(', mentions you')}</span>}
    </p>
  )
}

function SenderDetail({ senderId }: { senderId: number }): ReactNode {
  const detail = useNamesakeDetail(usePerson(senderId))
  return (
    detail !== null && (
      <span className={css.messageNamesake} title={detail}>
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
      {person?.is_bot === true && <Badge kind="quiet">{t('Bot')}</Badge>}
      {person?.is_guest === true && <GuestBadge kind="quiet" />}
      <StatusEmoji status={status} />
    </>
  )
}

const CHANGES = {
  editing: { text: t('editing…'), icon: Ellipsis },
  edited: { text: t('edited'), icon: Pencil },
  moved: { text: t('moved'), icon: CornerUpRight },
}

/** Returns whether a message is being edited, or was edited or moved; null if none of these. */
function useChange({ id, last_edit_timestamp, last_moved_timestamp }: Message): keyof typeof CHANGES | null {
  const isBeingEdited = useTypists({ kind: 'message', id }).length > 0
  if (isBeingEdited) return 'editing'
  if (last_edit_timestamp !== undefined) return 'edited'
  return last_moved_timestamp === undefined ? null : 'moved'
}

/**
 * The marks of a message: edited, moved, starred. They take no line of their own: they are beside the time or, as icons
 * with `areIcons`, at the edge of a grouped message.
 */
function Marks({ message, areIcons = false }: { message: Message; areIcons?: boolean }): ReactNode {
  const change = useChange(message)
  const isStarred = message.flags.includes('starred')
  if (change === null && !isStarred) return null
  const Icon = change === null ? null : CHANGES[change].icon
  return (
    <span className={css.messageMarks}>
      {change !== null && (
        <span className={css.messageChange} title={areIcons ? CHANGES[change].text : undefined}>
          {areIcons && Icon !== null ? <Icon className="icon" /> : CHANGES[change].text}
        </span>
      )}
      {isStarred && (
        <span className={css.messageStar} title={t('Starred')}>
          <Star className="icon" aria-hidden="true" />
          {!areIcons && <span className="visually-hidden">{t('Starred')}</span>}
        </span>
      )}
    </span>
  )
}

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
      className={css.message}
      aria-labelledby={headId}
      tabIndex={isStop ? 0 : -1}
      data-message={id}
      data-mentioned={isMentioned(flags) ? '' : undefined}
      data-near={isNear ? '' : undefined}
      data-grouped={isGrouped ? '' : undefined}
    >
      {isHidden ? (
        <p className={`${css.messageMuted} soft`} id={headId}>
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
        <span className={css.messageGutter} aria-hidden="true">
          <Time at={message.timestamp} as="clock" />
          <Marks message={message} areIcons />
        </span>
      ) : (
        // The sender's name is a button with the same effect.
        <button type="button" className={css.messageAvatar} tabIndex={-1} aria-hidden="true" onClick={openCard}>
          <Avatar id={message.sender_id} name={message.sender_full_name} url={message.avatar_url} />
        </button>
      )}
      <div className={css.messageBody}>
        <MessageHead message={message} id={headId} onSender={openCard} isHidden={isGrouped} />
        <MessageBody message={message} />
      </div>
      {cardTrigger && (
        <PersonCard userId={message.sender_id} trigger={cardTrigger} onClose={() => setCardTrigger(null)} />
      )}
    </>
  )
})
