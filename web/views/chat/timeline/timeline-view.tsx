import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { toAppError } from '../../../store/app-error.ts'
import { forgetStrayed, type Opening, timeline } from '../../../store/messages/messages.ts'
import type { Narrow } from '../../../store/messages/narrow.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { ErrorNotice } from '../../../ui/feedback/error-notice.tsx'
import { Loading } from '../../../ui/feedback/loading.tsx'
import { EndButton } from './end-button.tsx'
import { TimelineRows } from './timeline-rows.tsx'
import './timeline-view.css'
import { useFirstUnread } from './use-first-unread.ts'
import { usePaging } from './use-paging.ts'
import { usePlace } from './use-place.ts'
import { useReading } from './use-reading.ts'
import { useRoomAbove } from './use-room-above.ts'

/**
 * The messages of a narrow. It opens where `opening` says, loads what is older and newer as one comes near it, keeps in
 * place what one reads, and has it marked as read unless `isOnlyLookedAt`.
 */
export function TimelineView(props: {
  narrow: Narrow
  opening: Opening
  /** Opens the newest messages in place of these. */
  onNewest: () => void
  isOnlyLookedAt?: boolean
  empty: ReactNode
}): ReactNode {
  const { narrow, opening, onNewest, isOnlyLookedAt = false, empty } = props
  useState(() => typeof opening === 'number' || forgetStrayed(narrow, opening))
  const { data, error, refetch } = useQuery(timeline(narrow, opening))
  const list = useRef<HTMLDivElement>(null)
  const firstUnreadId = useFirstUnread(data, opening)
  const place = usePlace({ list, timeline: data, opening, firstUnreadId })
  const paging = usePaging({ narrow, opening, timeline: data, list })
  useRoomAbove(list, data !== undefined)
  const isConversation = narrow.kind === 'topic' || narrow.kind === 'direct'
  useReading({ list, timeline: data, isOn: !isOnlyLookedAt && place.isSet, isConversation })

  if (error !== null && data === undefined)
    return <ErrorNotice trouble={toAppError(error)} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading label="Loading the messages" lines={6} />
  if (data.messages.length === 0) return empty
  return (
    <div ref={list} className="timeline">
      {!data.hasOldest && (
        <div className="timeline-more">
          {paging.trouble === null ? (
            <Button kind="quiet" isPending={paging.isLoading} onPress={paging.loadOlder}>
              Older messages
            </Button>
          ) : (
            <ErrorNotice trouble={paging.trouble} onRetry={paging.loadOlder} />
          )}
        </div>
      )}
      <TimelineRows narrow={narrow} messages={data.messages} firstUnreadId={firstUnreadId} nearId={opening} />
      {!data.hasNewest && (
        <div className="timeline-more">
          <Button kind="quiet" isPending={paging.isLoading} onPress={paging.loadNewer}>
            Newer messages
          </Button>
        </div>
      )}
      <EndButton
        timeline={data}
        isAtEnd={place.isAtEnd}
        seenEndId={place.seenEndId}
        onPress={() => (data.hasNewest ? place.goToEnd() : onNewest())}
      />
    </div>
  )
}
