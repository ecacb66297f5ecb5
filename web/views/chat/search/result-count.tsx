import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useSyncExternalStore } from 'react'
import type { Narrow } from '../../../store/messages/narrow.ts'
import type { Timeline } from '../../../store/messages/timeline.ts'
import { t } from '../../../text/t.ts'

/** The number of messages that a search has found. As long as more can be loaded, it is a lower limit. */
export function ResultCount({ narrow }: { narrow: Narrow }): ReactNode {
  const client = useQueryClient()
  const found = useSyncExternalStore(
    (onChange) => client.getQueryCache().subscribe(onChange),
    () => {
      const loaded = client
        .getQueriesData<Timeline>({ queryKey: ['messages', narrow] })
        .flatMap(([key, data]) => (data === undefined ? [] : [{ ...data, isRanked: key[2] === 'relevance' }]))
      const longest = loaded.toSorted((one, other) => other.messages.length - one.messages.length)[0]
      if (longest === undefined) return ''
      const { messages, hasOldest, hasNewest, isRanked } = longest
      return `${messages.length}${hasOldest && (hasNewest || isRanked) ? '' : '+'}`
    },
  )
  const count = Number.parseInt(found, 10)
  return (
    <p className="search-count soft small" role="status">
      {count > 0 &&
        (found.endsWith('+')
          ? t('More than {count, plural, one {# message} other {# messages}}', { count })
          : t('{count, plural, one {# message} other {# messages}}', { count }))}
    </p>
  )
}
