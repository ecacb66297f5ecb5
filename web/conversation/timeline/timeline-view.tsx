import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import ArrowDown from 'lucide-react/icons/arrow-down'
import { type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { dropDistantPages, type Opening, timeline } from '../../messages/messages.ts'
import type { Narrow } from '../../messages/narrow.ts'
import { type OutgoingMessage, useOutgoing } from '../../messages/outgoing.ts'
import type { Timeline } from '../../messages/timeline.ts'
import { toAppError } from '../../store/app-error.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Loading } from '../../ui/page-states.tsx'
import * as css from '../timeline.module.css'
import { TimelineRows } from '../timeline-rows.tsx'
import {
  findScrollPosition,
  forgetScrollPosition,
  openingMessageId,
  saveScrollPosition,
  useScrollAnchor,
} from '../use-scroll-anchor.ts'
import { OutgoingRows } from './outgoing-rows.tsx'
import { useGradualTimeline } from './use-gradual-timeline.ts'
import { usePaging } from './use-paging.ts'
import { useFirstUnread, useMarkAsRead, useVisitRef, type Visit } from './use-visit.ts'

/** A button that scrolls to the newest messages and shows how many have arrived below. */
function JumpToLatest(props: {
  timeline: Timeline
  isAtEnd: boolean
  /** The id of the message that was the newest when the user was last at the end. */
  seenEndId: number
  onPress: () => void
}): ReactNode {
  const { timeline, isAtEnd, seenEndId, onPress } = props
  if (isAtEnd && timeline.hasNewest) return null
  const count = timeline.hasNewest ? timeline.messages.filter(({ id }) => id > seenEndId).length : 0
  return (
    <div className={css.endButton}>
      <Button icon={<ArrowDown className="icon" aria-hidden="true" />} onPress={onPress}>
        {count > 0 ? t('{count, plural, one {# new message} other {# new messages}}', { count }) : t('Jump to latest')}
      </Button>
    </div>
  )
}

/** Shows the end of the timeline when the user sends a message to it. */
function useSentToEnd(visit: Visit, outgoing: readonly OutgoingMessage[], goToEnd: () => void): void {
  const latest = outgoing.at(-1)?.writtenAt ?? 0
  // Messages that were sent before the timeline was opened do not scroll it.
  const known = useVisitRef(visit, latest)
  const go = useRef(goToEnd)
  useEffect(() => {
    go.current = goToEnd
  })
  useEffect(() => {
    if (latest > known.current) go.current()
    known.current = Math.max(known.current, latest)
  }, [latest, known])
}

type Props = {
  narrow: Narrow
  opening: Opening
  visit: Visit
  /** False while another timeline is shown. The timeline then keeps its rows as they are, and does nothing. */
  isShown: boolean
  /** The id of the message that a link leads to. The message is highlighted. */
  nearId?: number | undefined
  /** Opens the timeline at the newest messages instead. */
  onNewest: () => void
  keepsUnread?: boolean
  empty: ReactNode
}

/**
 * The messages of a narrow, opened at `opening`. Loads more messages near both ends, keeps the visible messages in
 * place, and marks messages as read unless `keepsUnread` is set.
 */
export function TimelineView(props: Props): ReactNode {
  const { narrow, opening, visit, isShown } = props
  useMemo(() => {
    const earlier = findScrollPosition(visit.step)
    dropDistantPages(narrow, opening, earlier === null || earlier === 'end' ? earlier : earlier.id)
  }, [visit])
  const query = useQuery({ ...timeline(narrow, opening), subscribed: isShown })
  const reopenings = query.data?.reopenings ?? 0
  return <OpenTimeline key={reopenings} {...props} query={query} />
}

function OpenTimeline(props: Props & { query: UseQueryResult<Timeline> }): ReactNode {
  const { narrow, opening, visit, isShown, nearId, onNewest, keepsUnread = false, empty } = props
  const { data, error, refetch } = props.query
  // A timeline that is reopened begins at its opening position.
  useState(() => data?.reopenings !== undefined && forgetScrollPosition(visit.step))
  const list = useRef<HTMLDivElement>(null)
  const firstUnreadId = useFirstUnread(visit, data, opening)
  const targetId = openingMessageId(visit.step, data, opening, firstUnreadId)
  const { shown, range, isFilled, showAll } = useGradualTimeline(visit, isShown, list, data, targetId)
  const outgoing = useOutgoing(narrow)
  const hasOutgoing = outgoing.length > 0
  const anchor = useScrollAnchor({
    ...{ list, timeline: shown, loaded: data, opening, firstUnreadId, isFilled, hasOutgoing },
    visit,
    isOn: isShown,
  })
  const paging = usePaging({
    ...{ narrow, opening, timeline: data, list },
    isOn: isShown,
    isWhole: shown?.messages.length === data?.messages.length,
  })
  const goToEnd = () => {
    if (!isShown) return
    if (data?.hasNewest === false) {
      saveScrollPosition(visit.step, 'end')
      return onNewest()
    }
    flushSync(showAll)
    anchor.goToEnd()
  }
  useSentToEnd(visit, isFeed(narrow) ? NONE : outgoing, goToEnd)
  usePausedWhenHidden(list, isShown)
  const isConversation = narrow.kind === 'topic' || narrow.kind === 'direct'
  useMarkAsRead({ visit, list, timeline: shown, isOn: isShown && !keepsUnread && anchor.isSet, isConversation })

  if (error !== null && data === undefined)
    return <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading label={t('Loading messages')} lines={6} />
  if (data.messages.length === 0 && outgoing.length === 0) return empty
  return (
    <div ref={list} className={css.timeline}>
      <TimelineRows
        visit={visit}
        narrow={narrow}
        messages={data.messages}
        range={range}
        firstUnreadId={firstUnreadId}
        nearId={nearId}
        above={data.hasOldest ? null : <OlderMessages {...paging} />}
      />
      {data.hasNewest && <OutgoingRows narrow={narrow} outgoing={outgoing} messages={data.messages} />}
      {!data.hasNewest && (
        <div className={css.timelineMore}>
          <Button kind="quiet" isPending={paging.isLoading} onPress={paging.loadNewer}>
            {t('Newer messages')}
          </Button>
        </div>
      )}
      <JumpToLatest timeline={data} isAtEnd={anchor.isAtEnd} seenEndId={anchor.seenEndId} onPress={goToEnd} />
    </div>
  )
}

/** Returns true if messages that the user sends go to other pages, which then open or are named in a toast. */
const isFeed = ({ kind }: Narrow): boolean => kind !== 'topic' && kind !== 'direct' && kind !== 'channel'

const NONE: ReturnType<typeof useOutgoing> = []

/** Pauses recordings and videos when the user goes to another timeline. */
function usePausedWhenHidden(list: RefObject<HTMLElement | null>, isShown: boolean): void {
  useEffect(() => {
    if (isShown) return
    for (const player of list.current?.querySelectorAll<HTMLMediaElement>('audio, video') ?? []) player.pause()
  }, [list, isShown])
}

function OlderMessages({ isLoading, error, loadOlder }: ReturnType<typeof usePaging>): ReactNode {
  if (error !== null) return <ErrorNotice error={error} onRetry={loadOlder} />
  return (
    <Button kind="quiet" isPending={isLoading} onPress={loadOlder}>
      {t('Older messages')}
    </Button>
  )
}
