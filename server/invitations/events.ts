import { findActiveUsers } from '#channels/audience-queries.ts'
import type { Transaction } from '#storage/storage.ts'
import { maySeeInvitationsOf } from './access.ts'

/** Emits to administrators and to the given inviters that the list of invitations has changed. */
export async function emitInvitationsChanged(
  tx: Transaction,
  realmId: number,
  inviterIds: readonly number[],
): Promise<void> {
  const { all } = await findActiveUsers(tx.db, realmId)
  const audience = all.filter((person) => maySeeInvitationsOf(person, inviterIds))
  tx.emit(
    realmId,
    { type: 'invites_changed' },
    audience.map(({ id }) => id),
  )
}
