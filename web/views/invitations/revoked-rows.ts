import { useSyncExternalStore } from 'react'
import type { InvitationEntry } from './rows.ts'

let pending: readonly InvitationEntry[] = []
const listeners = new Set<() => void>()

function change(next: readonly InvitationEntry[]): void {
  pending = next
  for (const listener of listeners) listener()
}

const isSame = (one: InvitationEntry) => (other: InvitationEntry) => one.id === other.id && one.kind === other.kind

/** Hides invitations that are being withdrawn, wherever one goes meanwhile. */
export const hideRevoked = (rows: readonly InvitationEntry[]): void => change([...pending, ...rows])

export const showRevoked = (rows: readonly InvitationEntry[]): void =>
  change(pending.filter((row) => !rows.some(isSame(row))))

/** The invitations that are not being withdrawn. */
export function useVisibleInvitations(rows: readonly InvitationEntry[]): readonly InvitationEntry[] {
  const hidden = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => pending,
  )
  const keys = new Set(hidden.map(({ kind, id }) => `${kind} ${id}`))
  return rows.filter(({ kind, id }) => !keys.has(`${kind} ${id}`))
}
