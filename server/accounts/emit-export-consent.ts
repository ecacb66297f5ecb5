import { findActiveUsers } from '#channels/audience-queries.ts'
import type { User } from '#people/users/user.ts'
import type { Realm } from '#realms/realm.ts'
import type { Transaction } from '#storage/storage.ts'
import { maySeeExportConsent } from './access.ts'
import { emitTo } from './emit-user-events.ts'
import { accountIds } from './user-audience.ts'

/** Emits to administrators whether the user now consents to the export of their private data. */
export async function emitExportConsent(tx: Transaction, realm: Realm, user: User): Promise<void> {
  const { all } = await findActiveUsers(tx.db, realm.id)
  const consented = user.settings.allow_private_data_export
  emitTo(
    tx,
    realm,
    { type: 'realm_export_consent', user_id: user.id, consented },
    accountIds(all.filter(maySeeExportConsent)),
  )
}
