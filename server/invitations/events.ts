import { findActiveUsers } from '../channels/audience-queries.ts'
import { Role } from '../people/users/role.ts'
import type { Transaction } from '../platform/storage/storage.ts'

/** Emits to administrators and to the given inviters that the list of invitations has changed. */
export async function emitInvitationsChanged(
  tx: Transaction,
  realmId: number,
  inviterIds: readonly number[],
): Promise<void> {
  const { all } = await findActiveUsers(tx.db, realmId)
  const audience = all.filter(({ id, role }) => role <= Role.administrator || inviterIds.includes(id))
  tx.emit(
    realmId,
    { type: 'invites_changed' },
    audience.map(({ id }) => id),
  )
}
