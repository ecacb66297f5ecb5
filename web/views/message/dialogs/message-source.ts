import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from '../../../api/call.ts'
import type { AnswerOf } from '../../../api/types.ts'
import type { Message } from '../../../store/messages/message.ts'

export type Source = AnswerOf<'GET /messages/{message_id}'>

/** Fetches the message as the API returns it, with its Markdown. */
export const fetchSource = (messageId: number, signal?: AbortSignal): Promise<Source> =>
  call(
    'GET /messages/{message_id}',
    { message_id: messageId, allow_empty_topic_name: true },
    signal === undefined ? {} : { signal },
  )

/** Returns the query for the source of a message. The source is fetched whenever it is shown or edited. */
export const messageSource = ({ id, last_edit_timestamp }: Message) =>
  queryOptions({
    queryKey: ['message-source', id, last_edit_timestamp],
    queryFn: ({ signal }) => fetchSource(id, signal),
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
