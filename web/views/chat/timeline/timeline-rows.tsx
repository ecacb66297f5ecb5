import { type FocusEvent, memo, type ReactNode, useMemo } from 'react'
import type { Message } from '../../../store/messages/message.ts'
import type { Narrow } from '../../../store/messages/narrow.ts'
import '../../message/message-list.css'
import { t } from '../../../text/t.ts'
import { dayLabel } from '../../../ui/time/days.ts'
import { areSameButRead } from '../../message/are-same-but-read.ts'
import { MessageRow } from '../../message/message-row.tsx'
import { arrangeApart, arrangeRows, type TimelineRow } from './arrange-rows.ts'
import { RecipientBar } from './recipient-bar.tsx'
import type { Range } from './use-gradual-timeline.ts'
import { useVisitState, type Visit } from './use-visit.ts'

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
      className="message-list timeline-rows"
      aria-label={isRanked ? t('Results') : t('Timeline')}
      aria-busy={range.end - range.start < messages.length}
      onFocus={onFocus}
    >
      {above !== null && <li className="timeline-more">{above}</li>}
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
        <li className="timeline-bar">
          <RecipientBar narrow={barFor} message={message} />
        </li>
      )}
      {barFor === null && startsDay && (
        <li className="timeline-day">
          <span>{dayLabel(message.timestamp)}</span>
        </li>
      )}
      {startsUnread && (
        <li className="timeline-unread">
          <span>{t('New')}</span>
        </li>
      )}
      <li className={isGrouped ? 'timeline-item grouped' : 'timeline-item'}>
        <MessageRow message={message} isGrouped={isGrouped} isStop={isStop} isNear={isNear} />
      </li>
    </>
  )
}, areSameRows)
