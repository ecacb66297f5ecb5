import { useSelector } from '@tanstack/react-store'
import CircleAlert from 'lucide-react/icons/circle-alert'
import { type ReactNode, useEffect } from 'react'
import { requestCompose } from '../../browser/compose-requests.ts'
import { RenderedContent } from '../../message-view/rendered-content.tsx'
import type { Message } from '../../messages/message.ts'
import { conversationOf, type Narrow, topicTitle } from '../../messages/narrow.ts'
import { isSendingPaused, type OutgoingMessage } from '../../messages/outgoing.ts'
import { deleteOutgoing, retryOutgoing } from '../../messages/send-outgoing.ts'
import { conversationKey } from '../../messages/unread.ts'
import { findChannel, useOrganizationPart, useOwnId } from '../../store/organization.ts'
import { useConversationName } from '../../store/people.ts'
import { t } from '../../text/t.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Button } from '../../ui/button.tsx'
import { lazyValue } from '../../ui/lazy-part.tsx'
import { dayOf } from '../../ui/moments.ts'
import { Time } from '../../ui/time.tsx'
import * as timelineCss from '../timeline.module.css'
import { GROUP_TIME } from './arrange-rows.ts'
import * as css from './outgoing-rows.module.css'

const echo = lazyValue(async () => (await import('./echo-html.ts')).echoHtml)

/** The user's messages that are not in the timeline yet: being sent, waiting for the connection, or failed. */
export function OutgoingRows(props: {
  narrow: Narrow
  outgoing: readonly OutgoingMessage[]
  messages: readonly Message[]
}): ReactNode {
  const { narrow, outgoing, messages } = props
  const ownId = useOwnId()
  const shown = outgoing.filter(({ sentId }) => sentId === null || !messages.some(({ id }) => id === sentId))
  if (shown.length === 0) return null
  const last = messages.at(-1)
  return (
    <ol className={`${timelineCss.messageList} ${timelineCss.timelineRows}`} aria-label={t('Sending')}>
      {shown.map((message, at) => {
        const before = shown[at - 1]
        const isGrouped = before === undefined ? continues(last, message, ownId) : isContinued(before, message)
        return (
          <li
            key={message.localId}
            className={isGrouped ? `${timelineCss.timelineItem} ${timelineCss.grouped}` : timelineCss.timelineItem}
          >
            <OutgoingRow message={message} isGrouped={isGrouped} narrow={narrow} />
          </li>
        )
      })}
    </ol>
  )
}

const isMeMessage = ({ text }: OutgoingMessage) => text.startsWith('/me ')

/** Returns true if the message will join the group of the last message in the timeline. */
const continues = (last: Message | undefined, message: OutgoingMessage, ownId: number): boolean =>
  last !== undefined &&
  last.sender_id === ownId &&
  !last.is_me_message &&
  !isMeMessage(message) &&
  isSoon(last.timestamp, message.writtenAt / 1000) &&
  conversationKey(conversationOf(last, ownId)) === conversationKey(message.conversation)

const isContinued = (before: OutgoingMessage, message: OutgoingMessage): boolean =>
  !isMeMessage(before) &&
  !isMeMessage(message) &&
  isSoon(before.writtenAt / 1000, message.writtenAt / 1000) &&
  conversationKey(before.conversation) === conversationKey(message.conversation)

const isSoon = (before: number, after: number) => after - before <= GROUP_TIME && dayOf(before) === dayOf(after)

function OutgoingRow(props: { message: OutgoingMessage; isGrouped: boolean; narrow: Narrow }): ReactNode {
  const { message, isGrouped, narrow } = props
  const { sentId, failure } = message
  const ownId = useOwnId()
  const name = useOrganizationPart(({ full_name }) => full_name)
  const url = useOrganizationPart(({ avatar_url_medium }) => avatar_url_medium)
  const isPaused = useSelector(isSendingPaused) && sentId === null
  const isWaiting = failure === null && isPaused
  return (
    <article
      className={`${timelineCss.message} ${css.outgoing}`}
      data-state={failure === null ? 'sending' : 'failed'}
      data-grouped={isGrouped ? '' : undefined}
      aria-busy={failure === null}
    >
      {isGrouped ? (
        <span className={timelineCss.messageGutter} />
      ) : (
        <span className={timelineCss.messageAvatar}>
          <Avatar id={ownId} name={name ?? ''} url={url ?? null} />
        </span>
      )}
      <div className={timelineCss.messageBody}>
        <p className={isGrouped && !isWaiting ? `${timelineCss.messageHead} visually-hidden` : timelineCss.messageHead}>
          <b className={isGrouped ? 'visually-hidden' : timelineCss.messageSender}>{name}</b>
          {!isGrouped && (
            <span className={timelineCss.messageTime}>
              <Time at={message.writtenAt / 1000} as="clock" />
            </span>
          )}
          {!isGrouped && <OutgoingDestination message={message} narrow={narrow} />}
          {isWaiting && <span className="soft small">{t('waiting for the connection')}</span>}
          {failure === null && !isPaused && <span className="visually-hidden">{t(', sending')}</span>}
        </p>
        <OutgoingText message={message} />
        {failure !== null && (
          <p className={`${css.outgoingFailure} small`} role="alert">
            <CircleAlert className="icon" aria-hidden="true" />
            <span>
              {t('Couldn’t send the message')}: {failure}
            </span>
          </p>
        )}
        {(failure !== null || isPaused) && <OutgoingActions message={message} />}
      </div>
    </article>
  )
}

/** Says where a message is sent, unless the narrow says it. */
function OutgoingDestination({ message, narrow }: { message: OutgoingMessage; narrow: Narrow }): ReactNode {
  const { conversation } = message
  const nameOf = useConversationName()
  if (narrow.kind === 'topic' || narrow.kind === 'direct') return null
  if (conversation.kind === 'direct') return <span className="soft small">› {nameOf(conversation.people)}</span>
  const topic = topicTitle(conversation.topic)
  const channel = findChannel(conversation.channelId)?.name ?? ''
  return (
    <span className="soft small">
      › {narrow.kind === 'channel' ? topic : t('#{channel} › {topic}', { channel, topic })}
    </span>
  )
}

/** The text of a message, rendered as HTML if its syntax is simple. */
function OutgoingText({ message }: { message: OutgoingMessage }): ReactNode {
  const toHtml = echo.use()
  useEffect(() => {
    // Without the renderer, the text is shown as it was written.
    echo.load().catch(() => {})
  }, [])
  const isMe = isMeMessage(message)
  const html = toHtml?.(isMe ? message.text.slice('/me '.length) : message.text) ?? null
  if (html === null)
    return (
      <div className={`${css.outgoingText} ${css.outgoingSource}`} dir="auto">
        {message.text}
      </div>
    )
  return (
    <div className={isMe ? `${css.outgoingText} message-me` : css.outgoingText}>
      <RenderedContent html={html} folds />
    </div>
  )
}

function OutgoingActions({ message }: { message: OutgoingMessage }): ReactNode {
  const { localId, failure } = message
  return (
    <div className={css.outgoingActions}>
      {failure !== null && (
        <Button kind="quiet" onPress={() => retryOutgoing(localId)}>
          {t('Try again')}
        </Button>
      )}
      <Button kind="quiet" onPress={() => editOutgoing(message)}>
        {t('Edit')}
      </Button>
      <Button kind="quiet" onPress={() => deleteOutgoing(localId)}>
        {t('Delete')}
      </Button>
    </div>
  )
}

/** Moves the text back to the compose box. */
function editOutgoing({ localId, conversation, text }: OutgoingMessage): void {
  if (requestCompose({ text, conversation })) deleteOutgoing(localId)
}
