import { toAppError } from '../../store/app-error.ts'
import { t } from '../../text/t.ts'
import { showToast } from '../../ui/feedback/toasts.ts'
import { refreshInvitations, resendInvitation, revokeInvitation } from './invitations-data.ts'
import { hideRevoked, showRevoked } from './revoked-rows.ts'
import type { InvitationEntry } from './rows.ts'
import { runAll } from './run-all.ts'

export const canResend = ({ kind, state }: InvitationEntry): boolean =>
  kind === 'email' && (state === 'pending' || state === 'expired')
export const canWithdraw = ({ state }: InvitationEntry): boolean => state === 'pending'
export const canExtend = ({ state }: InvitationEntry): boolean => state === 'pending' || state === 'expired'

const count = (rows: readonly InvitationEntry[]) =>
  rows.length === 1 ? rows[0]!.label : t('{count} invitations', { count: rows.length })

/** Sends mails again once the toast that offers to stop that is gone: the server could not take them back. */
export function resendInvitations(rows: readonly InvitationEntry[]): void {
  if (rows.length === 0) return
  showToast(t('The mail to {count} goes out again', { count: count(rows) }), {
    undo() {},
    settle: () => settle(rows, resendInvitation, 'sent again'),
  })
}

/** Withdraws once the toast that offers to stop that is gone, and hides the rows from now on. */
export function revokeInvitations(rows: readonly InvitationEntry[]): void {
  if (rows.length === 0) return
  hideRevoked(rows)
  showToast(t('Withdrawing {count}', { count: count(rows) }), {
    undo: () => showRevoked(rows),
    settle: () => settle(rows, revokeInvitation, 'withdrawn').finally(() => showRevoked(rows)),
  })
}

/** Does it with each, and tells of those with which it could not be done; of many, also that it is done. */
async function settle(
  rows: readonly InvitationEntry[],
  action: (row: InvitationEntry) => Promise<unknown>,
  done: string,
): Promise<void> {
  const failures = await runAll(rows, action)
  const [first] = failures
  if (first === undefined && rows.length > 1)
    showToast(t('{count} invitations are {done}', { count: rows.length, done }))
  if (first !== undefined) {
    const which =
      failures.length === 1
        ? first.item.label
        : t('{count} of {count2} were not {done}', { count: failures.length, count2: rows.length, done })
    showToast(`${which}: ${toAppError(first.error).message}`, { kind: 'error' })
  }
  await refreshInvitations()
}
