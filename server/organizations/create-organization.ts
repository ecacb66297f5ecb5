import { saveSystemGroups } from '#groups/queries.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { findRealmBySubdomain, saveRealm } from '#realms/queries.ts'
import { isSubdomain, REALM_NAME, type Realm } from '#realms/realm.ts'
import type { Db, Transaction } from '#storage/storage.ts'

const invalidSubdomain = refusal(
  'BAD_REQUEST',
  400,
  'A subdomain has 1 to 40 lower-case letters, digits and inner hyphens. Omit it for the root organization.',
  { field: 'subdomain' },
)
const subdomainTaken = refusal(
  'BAD_REQUEST',
  400,
  "There is already an organization with the subdomain '{subdomain}'.",
  { field: 'subdomain' },
)

const rootOrganizationExists = refusal(
  'BAD_REQUEST',
  400,
  'There is already a root organization. Choose a subdomain for this one.',
  { field: 'subdomain' },
)

const invalidRealmName = refusal(
  'BAD_REQUEST',
  400,
  'Organization names cannot contain line breaks or invisible characters',
  { field: 'name' },
)

/** Creates an organization with its system groups, but without users. */
export async function createOrganization(tx: Transaction, subdomain: string, name: string): Promise<Realm> {
  if (!REALM_NAME.test(name)) throw invalidRealmName()
  await requireAvailableSubdomain(tx.db, subdomain)
  const realm = await saveRealm(tx, { subdomain, name })
  await saveSystemGroups(tx, realm.id)
  return realm
}

/** Refuses a subdomain that is invalid or taken. */
export async function requireAvailableSubdomain(db: Db, subdomain: string): Promise<void> {
  if (!isSubdomain(subdomain)) throw invalidSubdomain()
  if ((await findRealmBySubdomain(db, subdomain)) !== null)
    throw subdomain === '' ? rootOrganizationExists() : subdomainTaken({ subdomain })
}
