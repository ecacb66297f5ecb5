import { createStore } from '../../ui/create-store.ts'
import type { InvitationEntry } from './rows.ts'

/** Invitations whose revocation can still be undone. They stay hidden after the user has gone to another page. */
const revoked = createStore<readonly InvitationEntry[]>([])

const keyOf = ({ kind, id }: InvitationEntry) => `${kind} ${id}`

const keysOf = (rows: readonly InvitationEntry[]) => new Set(rows.map(keyOf))

export const hideRevoked = (rows: readonly InvitationEntry[]): void => revoked.set([...revoked.get(), ...rows])

export function showRevoked(rows: readonly InvitationEntry[]): void {
  const keys = keysOf(rows)
  revoked.set(revoked.get().filter((row) => !keys.has(keyOf(row))))
}

/** Returns the invitations that are not being revoked. */
export function useVisibleInvitations(rows: readonly InvitationEntry[]): readonly InvitationEntry[] {
  const hidden = keysOf(revoked.use())
  return rows.filter((row) => !hidden.has(keyOf(row)))
}
