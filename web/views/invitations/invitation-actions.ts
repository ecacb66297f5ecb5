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
