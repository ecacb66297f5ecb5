import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { toAppError } from '../../../store/app-error.ts'
import { dropDistantPages, type Opening, timeline } from '../../../store/messages/messages.ts'
import type { Narrow } from '../../../store/messages/narrow.ts'
import type { Timeline } from '../../../store/messages/timeline.ts'
import { useOutgoing } from '../../../store/outgoing/outgoing.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { ErrorNotice } from '../../../ui/feedback/error-notice.tsx'
import { Loading } from '../../../ui/feedback/loading.tsx'
import { JumpToLatest } from './jump-to-latest.tsx'
import { OutgoingRows } from './outgoing-rows.tsx'
import { TimelineRows } from './timeline-rows.tsx'
import './timeline-view.css'
import { t } from '../../../text/t.ts'
import { findScrollPosition, forgetScrollPosition, saveScrollPosition } from './scroll-positions.ts'
import { useFirstUnread } from './use-first-unread.ts'
import { useGradualTimeline } from './use-gradual-timeline.ts'
import { useMarkAsRead } from './use-mark-as-read.ts'
import { usePaging } from './use-paging.ts'
import { openingMessageId, useScrollAnchor } from './use-scroll-anchor.ts'
import { useSentToEnd } from './use-sent-to-end.ts'
import type { Visit } from './use-visit.ts'

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
    ...{ list, timeline: shown, opening, firstUnreadId, isFilled, hasOutgoing },
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
    <div ref={list} className="timeline">
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
        <div className="timeline-more">
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
