import { queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { call } from '../../api/call.ts'
import { useOrganization } from '../../store/organization.ts'
import { queryClient } from '../../store/query-client.ts'
import { t } from '../../text/t.ts'
import { type InvitationEntry, toInvitationRows } from './rows.ts'

const invitations = queryOptions({
  queryKey: ['invitations', 'table'],
  queryFn: async ({ signal }) => {
    const [{ invites: pending }, { invites: past }, { deliveries }] = await Promise.all([
      call('GET /invites', { include_link_limits: true }, { signal }),
      call('GET /invites/ended', {}, { signal }),
      call('GET /invites/deliveries', {}, { signal }),
    ])
    return { pending, past, deliveries }
  },
  // No event reports the delivery status.
  refetchInterval: 15_000,
  staleTime: 0,
})

/** Returns the rows of the table; undefined while they are loading. */
export function useInvitations(): { rows: InvitationEntry[] | undefined; error: unknown; retry: () => void } {
  const { realm_users } = useOrganization()
  const { data, error, refetch } = useQuery(invitations)
  const rows = useMemo(() => {
    const names = new Map(realm_users.map(({ user_id, full_name }) => [user_id, full_name]))
    return data && toInvitationRows({ ...data, nameOf: (id) => names.get(id) ?? t('Deactivated user') })
  }, [data, realm_users])
  return { rows, error: data === undefined ? error : null, retry: () => void refetch() }
}

export const refreshInvitations = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ['invitations'] })

const targetOf = ({ id }: InvitationEntry) => ({ invite_id: id })

export const revokeInvitation = (row: InvitationEntry): Promise<unknown> =>
  row.kind === 'link'
    ? call('DELETE /invites/multiuse/{invite_id}', targetOf(row))
    : call('DELETE /invites/{invite_id}', targetOf(row))

export const resendInvitation = (row: InvitationEntry): Promise<unknown> =>
  call('POST /invites/{invite_id}/resend', targetOf(row))

/** Extends an invitation by `minutes` from now; null means that it never expires. */
export function extendInvitation(row: InvitationEntry, minutes: number | null): Promise<unknown> {
  const params = { ...targetOf(row), invite_expires_in_minutes: minutes }
  return row.kind === 'link'
    ? call('PATCH /invites/multiuse/{invite_id}', params)
    : call('PATCH /invites/{invite_id}', params)
}
