import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from '../../../api/call.ts'
import type { AnswerOf } from '../../../api/types.ts'
import type { Message } from '../../../store/messages/message.ts'

export type Source = AnswerOf<'GET /messages/{message_id}'>

/** The message as the API returns it, its Markdown beside it. */
export const fetchSource = (messageId: number, signal?: AbortSignal): Promise<Source> =>
  call(
    'GET /messages/{message_id}',
    { message_id: messageId, allow_empty_topic_name: true },
    signal === undefined ? {} : { signal },
  )

/** The same, asked for anew whenever one looks at it, and when its text is changed meanwhile. */
export const messageSource = ({ id, last_edit_timestamp }: Message) =>
  queryOptions({
    queryKey: ['message-source', id, last_edit_timestamp],
    queryFn: ({ signal }) => fetchSource(id, signal),
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
