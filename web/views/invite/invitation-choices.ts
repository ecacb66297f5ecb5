import { queryOptions, useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import type { AnswerOf } from '../../api/types.ts'
import { useOrganization } from '../../store/organization.ts'

/** The choices for invitations that the server allows the user. */
export type InvitationChoices = AnswerOf<'GET /invites/choices'>

export const invitationChoices = queryOptions({
  queryKey: ['inviting-choices'],
  queryFn: ({ signal }) => call('GET /invites/choices', {}, { signal }),
})

export const pendingInvitations = queryOptions({
  queryKey: ['invitations', 'pending'],
  queryFn: async ({ signal }) => (await call('GET /invites', {}, { signal })).invites,
})

/**
 * Returns the ways in which the user may invite people. `byLink` is false until the server has confirmed that they may
 * create links.
 */
export function useMayInvite(): { byEmail: boolean; byLink: boolean } {
  const { can_invite_others_to_realm: byEmail, is_guest } = useOrganization()
  const { data } = useQuery({ ...invitationChoices, enabled: !is_guest })
  return { byEmail, byLink: data?.may_make_links ?? false }
}
