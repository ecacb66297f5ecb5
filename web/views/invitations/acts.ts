import { toAppError } from '../../store/app-error.ts'
import { toast } from '../../ui/feedback/toast.ts'
import { carryOut } from './carry-out.ts'
import { refreshInvitations, resend, withdraw } from './invitations-data.ts'
import { hideRows, showRows } from './leaving.ts'
import type { Row } from './rows.ts'

export const canResend = ({ kind, state }: Row): boolean =>
  kind === 'email' && (state === 'pending' || state === 'expired')
export const canWithdraw = ({ state }: Row): boolean => state === 'pending'
export const canExtend = ({ state }: Row): boolean => state === 'pending' || state === 'expired'

const count = (rows: readonly Row[]) => (rows.length === 1 ? rows[0]!.label : `${rows.length} invitations`)

/** Sends mails again once the toast that offers to stop that is gone: the server could not take them back. */
export function resendRows(rows: readonly Row[]): void {
  if (rows.length === 0) return
  toast(`The mail to ${count(rows)} goes out again`, {
    undo() {},
    settle: () => settle(rows, resend, 'sent again'),
  })
}

/** Withdraws once the toast that offers to stop that is gone, and hides the rows from now on. */
export function withdrawRows(rows: readonly Row[]): void {
  if (rows.length === 0) return
  hideRows(rows)
  toast(`Withdrawing ${count(rows)}`, {
    undo: () => showRows(rows),
    settle: () => settle(rows, withdraw, 'withdrawn').finally(() => showRows(rows)),
  })
}

/** Does it with each, and tells of those with which it could not be done; of many, also that it is done. */
async function settle(rows: readonly Row[], act: (row: Row) => Promise<unknown>, done: string): Promise<void> {
  const failures = await carryOut(rows, act)
  const [first] = failures
  if (first === undefined && rows.length > 1) toast(`${rows.length} invitations are ${done}`)
  if (first !== undefined) {
    const which = failures.length === 1 ? first.item.label : `${failures.length} of ${rows.length} were not ${done}`
    toast(`${which}: ${toAppError(first.error).message}`, { kind: 'error' })
  }
  await refreshInvitations()
}
