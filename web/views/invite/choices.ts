import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import type { AnswerOf } from '../../api/types.ts'

/** What one may invite people to, as the server judges it. */
export type Choices = AnswerOf<'GET /invites/choices'>

export const invitingChoices = queryOptions({
  queryKey: ['inviting-choices'],
  queryFn: ({ signal }) => call('GET /invites/choices', {}, { signal }),
})

export const pendingInvitations = queryOptions({
  queryKey: ['invitations', 'pending'],
  queryFn: async ({ signal }) => (await call('GET /invites', {}, { signal })).invites,
})
