import { queryOptions } from '@tanstack/react-query'
import { call } from '../../../api/call.ts'
import type { AnswerOf } from '../../../api/types.ts'
import { CONSENTS_KEY, EXPORTS_KEY } from '../../../store/realm-queries.ts'

export type DataExport = AnswerOf<'GET /export/realm'>['exports'][number]

/** The exports of the organization. Events keep them current. */
export const exportsQuery = queryOptions({
  queryKey: EXPORTS_KEY,
  queryFn: ({ signal }) => call('GET /export/realm', { include_size: true }, { signal }),
})

/** The users who allow the export of their private data. The list is loaded again after each change. */
export const consentsQuery = queryOptions({
  queryKey: CONSENTS_KEY,
  queryFn: ({ signal }) => call('GET /export/realm/consents', {}, { signal }),
})
