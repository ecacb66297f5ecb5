import { findPeople } from '../../channels/audience-queries.ts'
import type { Realm } from '../../organizations/realms/realm.ts'
import type { Transaction } from '../../platform/storage/storage.ts'
import { isAdministrator } from '../users/role.ts'
import type { User } from '../users/user.ts'
import { idsOf } from './audience.ts'
import { tell } from './tell-of-user.ts'

/** Tells administrators whether the user agrees to the export of their private data. */
export async function tellOfExportConsent(tx: Transaction, realm: Realm, user: User): Promise<void> {
  const { all } = await findPeople(tx.db, realm.id)
  const consented = user.settings.allow_private_data_export
  tell(tx, realm, { type: 'realm_export_consent', user_id: user.id, consented }, idsOf(all.filter(isAdministrator)))
}
