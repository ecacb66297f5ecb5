import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import type { AnswerOf } from '../../api/types.ts'

export type Source = AnswerOf<'GET /messages/{message_id}'>

/** The message as the API returns it, its Markdown beside it. */
export const fetchSource = (messageId: number, signal?: AbortSignal): Promise<Source> =>
  call(
    'GET /messages/{message_id}',
    { message_id: messageId, allow_empty_topic_name: true },
    signal === undefined ? {} : { signal },
  )

/** The same, asked for anew whenever it is looked at: nothing tells of all that may change in it. */
export const messageSource = (messageId: number) =>
  queryOptions({
    queryKey: ['message-source', messageId],
    queryFn: ({ signal }) => fetchSource(messageId, signal),
    gcTime: 0,
  })
