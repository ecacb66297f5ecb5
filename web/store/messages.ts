import { queryOptions } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import type { AnswerOf } from '../api/types.ts'
import { queryClient } from './query-client.ts'

export type Message = AnswerOf<'GET /messages'>['messages'][number]

/** How many messages of a channel are shown at most. */
export const SHOWN_MESSAGES = 50

const keyOf = (channelId: number) => ['messages', channelId] as const

/** The latest messages of a channel, the oldest first. */
export const channelMessages = (channelId: number) =>
  queryOptions({
    queryKey: keyOf(channelId),
    queryFn: async ({ signal }) => {
      const narrow = [{ operator: 'channel', operand: channelId }]
      const range = { anchor: 'newest', num_before: SHOWN_MESSAGES, num_after: 0 }
      const options = { client_gravatar: false, allow_empty_topic_name: true }
      return (await call('GET /messages', { ...range, narrow, ...options }, { signal })).messages
    },
  })

/** Adds a message that has just arrived, where the messages of its channel are known. */
export function addMessage(message: Message): void {
  if (message.stream_id === undefined) return
  queryClient.setQueryData<Message[]>(keyOf(message.stream_id), (known) => {
    if (known === undefined || known.some(({ id }) => id === message.id)) return known
    return [...known, message].slice(-SHOWN_MESSAGES)
  })
}

/** Asks again for what is shown of messages: some were changed or deleted. */
export const refreshMessages = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ['messages'] })
