import { useState } from 'react'
import { toTrouble } from '../../store/trouble.ts'
import { toast } from '../../ui/toast.ts'
import { refreshInvitations, resend, withdraw } from './invitations-data.ts'
import type { Row } from './rows.ts'

export const canResend = ({ kind, state }: Row): boolean =>
  kind === 'email' && (state === 'pending' || state === 'expired')
export const canWithdraw = ({ state }: Row): boolean => state === 'pending'
export const canExtend = ({ state }: Row): boolean => state === 'pending' || state === 'expired'

const count = (rows: readonly Row[]) => (rows.length === 1 ? rows[0]!.label : `${rows.length} invitations`)

type Acts = {
  resend(rows: readonly Row[]): void
  withdraw(rows: readonly Row[]): void
  /** Whether its withdrawal waits for the time in which it can be undone. */
  isLeaving(row: Row): boolean
}

/**
 * Withdraws and sends again. Neither can be taken back at the server, so both are carried out once the toast that offers
 * to undo them is gone.
 */
export function useActs(): Acts {
  const [leaving, setLeaving] = useState<readonly Row[]>([])
  const isSame = (one: Row) => (other: Row) => one.id === other.id && one.kind === other.kind

  return {
    resend(rows) {
      if (rows.length === 0) return
      toast(`The mail to ${count(rows)} goes out again`, { undo() {}, settle: () => void carryOut(rows, resend) })
    },
    withdraw(rows) {
      if (rows.length === 0) return
      const stay = () => setLeaving((before) => before.filter((row) => !rows.some(isSame(row))))
      setLeaving((before) => [...before, ...rows])
      toast(`Withdrawing ${count(rows)}`, { undo: stay, settle: () => void carryOut(rows, withdraw).then(stay) })
    },
    isLeaving: (row) => leaving.some(isSame(row)),
  }
}

/** Does it with each, and tells of those with which it could not be done. */
async function carryOut(rows: readonly Row[], act: (row: Row) => Promise<unknown>): Promise<void> {
  const outcomes = await Promise.allSettled(rows.map(act))
  outcomes.forEach((outcome, at) => {
    if (outcome.status === 'rejected')
      toast(`${rows[at]!.label}: ${toTrouble(outcome.reason).message}`, { kind: 'error' })
  })
  await refreshInvitations()
}
