import type { Transaction } from '../storage/storage.ts'
import { Role } from '../users/role.ts'

/** Tells administrators, and the inviter where there is one to tell, that the list of invitations has changed. */
export async function tellOfInvitations(tx: Transaction, realmId: number, inviterId: number | null): Promise<void> {
  const rows = await tx.db
    .selectFrom('users')
    .select('id')
    .where('realmId', '=', realmId)
    .where('deactivatedAt', 'is', null)
    .where((is) =>
      is.or([is('role', '<=', Role.administrator), ...(inviterId === null ? [] : [is('id', '=', inviterId)])]),
    )
    .execute()
  tx.emit(
    realmId,
    { type: 'invites_changed' },
    rows.map((row) => row.id),
  )
}
