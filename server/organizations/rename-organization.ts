import { lockRealm, saveRealmFields } from '#realms/queries.ts'
import type { Realm } from '#realms/realm.ts'
import { saveRedirect } from '#realms/redirects.ts'
import type { Transaction } from '#storage/storage.ts'
import { requireAvailableSubdomain } from './create-organization.ts'

/**
 * Gives an organization another subdomain. The old subdomain redirects to the new one until another organization takes
 * it.
 */
export async function renameOrganization(tx: Transaction, { id }: Pick<Realm, 'id'>, subdomain: string): Promise<void> {
  const realm = await lockRealm(tx, id)
  await requireAvailableSubdomain(tx.db, subdomain)
  await saveRealmFields(tx, id, { subdomain })
  await saveRedirect(tx, id, { from: realm.subdomain, to: subdomain })
}
