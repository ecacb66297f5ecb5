import { queryOptions, useQuery } from '@tanstack/react-query'
import { createAtom, useSelector } from '@tanstack/react-store'
import { useMemo } from 'react'
import { call } from '../../api/call.ts'
import { runAll } from '../../forms/run-all.tsx'
import { toAppError } from '../../store/app-error.ts'
import { useOrganization } from '../../store/organization.ts'
import { peopleFinder } from '../../store/people.ts'
import { queryClient } from '../../store/query-client.ts'
import { t } from '../../text/t.ts'
import { showToast } from '../../ui/toasts.ts'
import { type InvitationEntry, toInvitationRows } from './invitation-rows.ts'

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
  const { realm_users } = useOrganization('realm_users')
  const { data, error, refetch } = useQuery(invitations)
  const rows = useMemo(() => {
    const find = peopleFinder({ realm_users, realm_non_active_users: [], cross_realm_bots: [] })
    return data && toInvitationRows({ ...data, nameOf: (id) => find(id)?.full_name ?? t('Deactivated user') })
  }, [data, realm_users])
  return { rows, error: data === undefined ? error : null, retry: () => void refetch() }
}

export const refreshInvitations = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ['invitations'] })

const targetOf = ({ id }: InvitationEntry) => ({ invite_id: id })

const revokeInvitation = (row: InvitationEntry): Promise<unknown> =>
  row.kind === 'link'
    ? call('DELETE /invites/multiuse/{invite_id}', targetOf(row))
    : call('DELETE /invites/{invite_id}', targetOf(row))

const resendInvitation = (row: InvitationEntry): Promise<unknown> =>
  call('POST /invites/{invite_id}/resend', targetOf(row))

/** Extends an invitation by `minutes` from now; null means that it never expires. */
export function extendInvitation(row: InvitationEntry, minutes: number | null): Promise<unknown> {
  const params = { ...targetOf(row), invite_expires_in_minutes: minutes }
  return row.kind === 'link'
    ? call('PATCH /invites/multiuse/{invite_id}', params)
    : call('PATCH /invites/{invite_id}', params)
}

/** Invitations whose revocation can still be undone. They stay hidden after the user has gone to another page. */
const revoked = createAtom<readonly InvitationEntry[]>([])

const keyOf = ({ kind, id }: InvitationEntry) => `${kind} ${id}`

const keysOf = (rows: readonly InvitationEntry[]) => new Set(rows.map(keyOf))

const hideRevoked = (rows: readonly InvitationEntry[]): void => revoked.set([...revoked.get(), ...rows])

function showRevoked(rows: readonly InvitationEntry[]): void {
  const keys = keysOf(rows)
  revoked.set(revoked.get().filter((row) => !keys.has(keyOf(row))))
}

/** Returns the invitations that are not being revoked. */
export function useVisibleInvitations(rows: readonly InvitationEntry[]): readonly InvitationEntry[] {
  const hidden = keysOf(useSelector(revoked))
  return rows.filter((row) => !hidden.has(keyOf(row)))
}

export const canResend = ({ kind, state }: InvitationEntry): boolean =>
  kind === 'email' && (state === 'pending' || state === 'expired')
export const canWithdraw = ({ state }: InvitationEntry): boolean => state === 'pending'
export const canExtend = ({ state }: InvitationEntry): boolean => state === 'pending' || state === 'expired'

const describe = (rows: readonly InvitationEntry[]) =>
  rows.length === 1
    ? rows[0]!.label
    : t('{count, plural, one {# invitation} other {# invitations}}', { count: rows.length })

/** Resends emails when the undo toast has closed, since emails can't be recalled. */
export function resendInvitations(rows: readonly InvitationEntry[]): void {
  if (rows.length === 0) return
  showToast(t('Resending {invitations}', { invitations: describe(rows) }), {
    undo() {},
    settle: () =>
      settle(rows, resendInvitation, (count) =>
        t('{count, plural, one {# invitation} other {# invitations}} resent', { count }),
      ),
  })
}

/** Hides the rows of invitations immediately, and revokes the invitations when the undo toast has closed. */
export function revokeInvitations(rows: readonly InvitationEntry[]): void {
  if (rows.length === 0) return
  hideRevoked(rows)
  showToast(t('Revoking {invitations}', { invitations: describe(rows) }), {
    undo: () => showRevoked(rows),
    settle: () =>
      settle(rows, revokeInvitation, (count) =>
        t('{count, plural, one {# invitation} other {# invitations}} revoked', { count }),
      ).finally(() => showRevoked(rows)),
  })
}

/** Runs the action for each row, and shows the failures. If all of several rows succeed, it shows that, too. */
async function settle(
  rows: readonly InvitationEntry[],
  action: (row: InvitationEntry) => Promise<unknown>,
  doneText: (count: number) => string,
): Promise<void> {
  const failures = await runAll(rows, action)
  const [first] = failures
  if (first === undefined && rows.length > 1) showToast(doneText(rows.length))
  if (first !== undefined) {
    const which =
      failures.length === 1
        ? first.item.label
        : t('{count, number} of {total, plural, one {# invitation} other {# invitations}} failed', {
            count: failures.length,
            total: rows.length,
          })
    showToast(`${which}: ${toAppError(first.error).message}`, { kind: 'error' })
  }
  await refreshInvitations()
}
