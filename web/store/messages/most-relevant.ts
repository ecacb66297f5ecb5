import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { currentOrganization } from '../organization.ts'
import { withChangesMeanwhile } from './changes-meanwhile.ts'
import { type Narrow, toTerms } from './narrow.ts'
import type { Timeline } from './timeline.ts'

/** The maximum number of results. */
const COUNT = 50

const FORM = { client_gravatar: false, allow_empty_topic_name: true }

/**
 * Returns the query for the most relevant messages of a search, sorted by relevance. It has the key of a timeline, so
 * that events keep the messages up to date. New messages are not added.
 */
export const mostRelevant = (narrow: Narrow) =>
  queryOptions({
    queryKey: ['messages', narrow, 'relevance'],
    queryFn: ({ signal }): Promise<Timeline> =>
      withChangesMeanwhile(narrow, async () => {
        const terms = toTerms(narrow, currentOrganization()?.user_id ?? 0)
        const range = { anchor: 'newest', num_before: COUNT, num_after: 0, order: 'relevance' } as const
        const answer = await call('GET /messages', { ...range, narrow: terms, ...FORM }, { signal })
        return { messages: answer.messages, hasOldest: answer.found_oldest, hasNewest: false }
      }),
  })
