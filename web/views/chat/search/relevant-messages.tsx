import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { toAppError } from '../../../store/app-error.ts'
import { mostRelevant } from '../../../store/messages/most-relevant.ts'
import type { Narrow } from '../../../store/messages/narrow.ts'
import { t } from '../../../text/t.ts'
import { ErrorNotice } from '../../../ui/feedback/error-notice.tsx'
import { Loading } from '../../../ui/feedback/loading.tsx'
import { TimelineRows } from '../timeline/timeline-rows.tsx'
import '../timeline/timeline-view.css'

const ONLY_VISIT = { step: '' }

/** The most relevant messages of a search, with the best match first. */
export function RelevantMessages({ narrow, empty }: { narrow: Narrow; empty: ReactNode }): ReactNode {
  const { data, error, refetch } = useQuery(mostRelevant(narrow))
  if (error !== null && data === undefined)
    return <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading label={t('Loading messages')} lines={6} />
  const { messages, hasOldest } = data
  if (messages.length === 0) return empty
  return (
    <div className="timeline">
      <TimelineRows
        visit={ONLY_VISIT}
        narrow={narrow}
        messages={messages}
        range={{ start: 0, end: messages.length }}
        firstUnreadId={null}
        nearId={null}
        isRanked
        above={null}
      />
      {!hasOldest && (
        <p className="search-more soft small">
          {t('Only the best matches are shown. Add words or filters to find others.')}
        </p>
      )}
    </div>
  )
}
