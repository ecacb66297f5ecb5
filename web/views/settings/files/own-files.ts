import { queryOptions } from '@tanstack/react-query'
import { call } from '../../../api/call.ts'
import type { AnswerOf } from '../../../api/types.ts'

export type OwnFile = AnswerOf<'GET /attachments'>['attachments'][number]

/** The files that the user has uploaded. No events keep them current, so they are loaded whenever the page opens. */
export const ownFiles = queryOptions({
  queryKey: ['own-files'],
  queryFn: ({ signal }) => call('GET /attachments', {}, { signal }),
  staleTime: 0,
})
