import { refusal } from '#lib/errors/refusal.ts'
import type { Realm } from '#realms/realm.ts'
import type { Transaction } from '#storage/storage.ts'
import { lockEmailAddresses } from './queries.ts'

export const nameNotUnique = refusal('BAD_REQUEST', 400, 'Unique names required in this organization.', {
  field: 'full_name',
})

/**
 * If the organization requires unique names, refuses a name that another active user has, and reserves the name until
 * the transaction ends. Case is ignored.
 */
export async function requireUniqueName(
  tx: Transaction,
  realm: Realm,
  fullName: string,
  ownerId?: number,
): Promise<void> {
  if (!realm.settings.require_unique_names) return
  await lockEmailAddresses(tx, realm.id)
  const people = await tx.db
    .selectFrom('users')
    .select(['id', 'fullName'])
    .where('realmId', '=', realm.id)
    .where('deactivatedAt', 'is', null)
    .where('botType', 'is', null)
    .execute()
  const key = nameKey(fullName)
  if (people.some((person) => person.id !== ownerId && nameKey(person.fullName) === key)) throw nameNotUnique()
}

const nameKey = (name: string) => name.normalize('NFKC').toLowerCase()
