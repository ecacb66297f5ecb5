import { findPeople } from '../channels/audience-queries.ts'
import type { Transaction } from '../storage/storage.ts'
import { Role } from '../users/role.ts'

/** Tells administrators, and the inviter where there is one to tell, that the list of invitations has changed. */
export async function tellOfInvitations(tx: Transaction, realmId: number, inviterId: number | null): Promise<void> {
  const { all } = await findPeople(tx.db, realmId)
  const hearers = all.filter(({ id, role }) => role <= Role.administrator || id === inviterId)
  tx.emit(
    realmId,
    { type: 'invites_changed' },
    hearers.map(({ id }) => id),
  )
}
