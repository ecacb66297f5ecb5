import MessagesSquare from 'lucide-react/icons/messages-square'
import { type FocusEvent, memo, type ReactNode, useMemo, useState } from 'react'
import { isResolved } from '#rules/topics.ts'
import { contentToReact } from '../message-html/content-to-react.tsx'
import { decodeEntities, parseHtml } from '../message-html/parse-html.ts'
import type { Message } from '../messages/message.ts'
import { type Narrow, peopleOf, topicTitle } from '../messages/narrow.ts'
import { ChannelIcon, ResolvedMark, TopicName } from '../navigation/conversation-name.tsx'
import { NarrowLink } from '../navigation/narrow-link.tsx'
import { useOwnId, useSubscription } from '../store/organization.ts'
import { useConversationName } from '../store/people.ts'
import { t } from '../text/t.ts'
import { dayLabel } from '../ui/moments.ts'
import { MessageRow } from './message/message-row.tsx'
import { areSameButRead, arrangeApart, arrangeRows, type TimelineRow } from './timeline/arrange-rows.ts'
import type { Range } from './timeline/use-gradual-timeline.ts'
import { useVisitState, type Visit } from './timeline/use-visit.ts'
import * as css from './timeline.module.css'
import { TopicMenu } from './topic-menu.tsx'

/**
 * The bar above the messages of a conversation in a view that shows several conversations. It has links, a menu and the
 * day.
 */
function RecipientBar({ narrow, message }: { narrow: Narrow; message: Message }): ReactNode {
  const { stream_id: channelId, subject, timestamp } = message
  const channel = useSubscription(channelId ?? 0)
  // A menu for each of hundreds of bars would take longer to render than the messages.
  const [hasMenu, setHasMenu] = useState(false)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only adds the menu before it can be used.
    <div
      className={css.timelineBarLine}
      onPointerEnter={() => setHasMenu(true)}
      onFocus={() => setHasMenu(true)}
      {...(channel !== undefined && { 'data-colored': '', style: { '--channel': channel.color } as object })}
    >
      {channelId === undefined ? (
        <DirectTitle message={message} />
      ) : (
        <TopicTitle narrow={narrow} message={message} channelId={channelId} />
      )}
      {hasMenu && channel !== undefined && <TopicMenu channel={channel} topic={subject} />}
      <span className={css.timelineBarDay}>{dayLabel(timestamp)}</span>
    </div>
  )
}

function DirectTitle({ message }: { message: Message }): ReactNode {
  const nameOf = useConversationName()
  const people = peopleOf(message, useOwnId())
  return (
    <h2 className={css.timelineBarTitle}>
      <MessagesSquare className="icon" aria-hidden="true" />
      <NarrowLink narrow={{ kind: 'direct', people }} near={message.id}>
        {t('Direct messages with {names}', { names: nameOf(people) })}
      </NarrowLink>
    </h2>
  )
}

function TopicTitle(props: { narrow: Narrow; message: Message; channelId: number }): ReactNode {
  const { narrow, message, channelId } = props
  const { subject, display_recipient } = message
  const channel = useSubscription(channelId)
  return (
    <h2 className={css.timelineBarTitle}>
      {channel !== undefined && <ChannelIcon channel={channel} />}
      {narrow.kind !== 'channel' && (
        <>
          <NarrowLink narrow={{ kind: 'channel', channelId }} near={message.id}>
            {String(display_recipient)}
          </NarrowLink>
          <span aria-hidden="true">›</span>
        </>
      )}
      <NarrowLink narrow={{ kind: 'topic', channelId, topic: subject }} near={message.id}>
        {message.match_subject === undefined || subject === '' ? (
          <TopicName topic={subject} />
        ) : (
          <MatchedTopic html={message.match_subject} isResolved={isResolved(subject)} />
        )}
      </NarrowLink>
    </h2>
  )
}

/** The name of a topic in the results of a search. `html` marks the words that match. */
const MatchedTopic = ({ html, isResolved }: { html: string; isResolved: boolean }): ReactNode => (
  <>
    {isResolved && <ResolvedMark />} {contentToReact(parseHtml(topicTitle(html), decodeEntities), {})}
  </>
)

/**
 * Messages in the given order, with dividers and the bars of conversations between them. Tab moves the focus to one
 * message; J, K and the arrow keys move it to the others.
 */
export function TimelineRows(props: {
  visit: Visit
  narrow: Narrow
  messages: readonly Message[]
  /** The range of the rendered messages in all messages. */
  range: Range
  firstUnreadId: number | null
  nearId: unknown
  /** True if the messages are neither consecutive nor in chronological order. */
  isRanked?: boolean
  /**
   * Content above the messages. It is an item of the list, so that its disappearance moves the messages, but not the
   * list.
   */
  above: ReactNode
}): ReactNode {
  const { visit, narrow, messages, range, firstUnreadId, nearId, isRanked = false, above } = props
  const rows = useMemo(
    () => (isRanked ? arrangeApart(messages) : arrangeRows(messages, firstUnreadId)),
    [messages, firstUnreadId, isRanked],
  )
  const [chosenId, choose] = useVisitState<number | undefined>(visit, undefined)
  // The chosen message may have been dropped, because it was far away.
  const stopId =
    [chosenId, firstUnreadId].find((wanted) => messages.some(({ id }) => id === wanted)) ??
    messages.at(isRanked ? 0 : -1)?.id
  const showsBars = narrow.kind !== 'topic' && narrow.kind !== 'direct'
  const onFocus = ({ target }: FocusEvent) => {
    const row = target.closest<HTMLElement>('[data-message]')
    if (row !== null) choose(() => Number(row.dataset['message']))
  }
  return (
    <ol
      className={`${css.messageList} ${css.timelineRows}`}
      aria-label={isRanked ? t('Results') : t('Timeline')}
      aria-busy={range.end - range.start < messages.length}
      onFocus={onFocus}
    >
      {above !== null && <li className={css.timelineMore}>{above}</li>}
      {rows.slice(range.start, range.end).map((row, at) => (
        <Row
          key={row.message.id}
          {...row}
          barFor={showsBars && (row.startsConversation || at === 0) ? narrow : null}
          isStop={row.message.id === stopId}
          isNear={row.message.id === nearId}
        />
      ))}
    </ol>
  )
}

type RowProps = TimelineRow & {
  /** The narrow of the timeline, if a bar above the row names the conversation; null if there is no bar. */
  barFor: Narrow | null
  isStop: boolean
  isNear: boolean
}

/** Compares rows without allocating anything, since this runs for each row in each frame of scrolling. */
const areSameRows = (one: RowProps, other: RowProps): boolean =>
  areSameButRead(one.message, other.message) &&
  one.startsDay === other.startsDay &&
  one.startsConversation === other.startsConversation &&
  one.startsUnread === other.startsUnread &&
  one.isGrouped === other.isGrouped &&
  one.barFor === other.barFor &&
  one.isStop === other.isStop &&
  one.isNear === other.isNear

/** The bars are items of the list, so that each bar sticks to the top of the list until the next one covers it. */
const Row = memo(({ message, startsDay, startsUnread, isGrouped, barFor, isStop, isNear }: RowProps): ReactNode => {
  return (
    <>
      {barFor !== null && (
        <li className={css.timelineBar}>
          <RecipientBar narrow={barFor} message={message} />
        </li>
      )}
      {barFor === null && startsDay && (
        <li className={css.timelineDay}>
          <span>{dayLabel(message.timestamp)}</span>
        </li>
      )}
      {startsUnread && (
        <li className={css.timelineUnread}>
          <span>{t('New')}</span>
        </li>
      )}
      <li className={isGrouped ? `${css.timelineItem} ${css.grouped}` : css.timelineItem}>
        <MessageRow message={message} isGrouped={isGrouped} isStop={isStop} isNear={isNear} />
      </li>
    </>
  )
}, areSameRows)
