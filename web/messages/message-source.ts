import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type AnswerOf, call } from '../api/call.ts'
import type { Message } from './message.ts'

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

/**
 * Renames, resolves or unresolves the topic of a message; rejects with `ApiError`. A corrected title causes no notice;
 * the server announces in any case that a topic was resolved.
 */
export async function renameTopic(messageId: number, name: string): Promise<void> {
  await call('PATCH /messages/{message_id}', {
    message_id: messageId,
    topic: name,
    propagate_mode: 'change_all',
    send_notification_to_old_thread: false,
    send_notification_to_new_thread: false,
  })
}

/** Fetches a message; rejects with `ApiError`. */
export async function fetchMessage(id: number): Promise<Message> {
  const form = { allow_empty_topic_name: true, client_gravatar: false }
  const { message } = await call('GET /messages/{message_id}', { message_id: id, ...form })
  return message as Message
}
