import { findActiveUsers } from '#channels/audience-queries.ts'
import { findDataExports } from '#realms/export-queries.ts'
import type { Realm } from '#realms/realm.ts'
import type { Transaction } from '#storage/storage.ts'
import { maySeeExports } from './access.ts'
import { toDataExportJson } from './data-export.ts'

/** Emits the list of all exports to administrators. */
export async function emitDataExports(tx: Transaction, realm: Realm): Promise<void> {
  const { all } = await findActiveUsers(tx.db, realm.id)
  const exports = await findDataExports(tx.db, realm.id)
  tx.emit(
    realm.id,
    {
      type: 'realm_export',
      exports: exports.map((one) => toDataExportJson(one, realm, tx.db.settings.EXTERNAL_URL)),
    },
    all.filter(maySeeExports).map(({ id }) => id),
  )
}
