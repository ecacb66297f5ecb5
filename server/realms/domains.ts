import { z } from 'zod'
import { refusal } from '#lib/errors.ts'
import { defineCache } from '#storage/cache.ts'
import type { Db, Transaction } from '#storage/storage.ts'

// The domains to which an organization restricts the addresses of new accounts, as they are stored and as clients see
// them.

/**
 * A domain that the addresses of new accounts may have. It applies if the organization restricts addresses to its
 * domains.
 */
export type RealmDomain = { domain: string; allowsSubdomains: boolean }

const domainsOfRealm = defineCache<number, readonly RealmDomain[]>({
  dependsOn: ['realmDomains'],
  limit: 1000,
  async load(db, realmId) {
    const rows = await db
      .selectFrom('realmDomains')
      .selectAll()
      .where('realmId', '=', realmId)
      .orderBy('domain')
      .execute()
    return rows.map(({ domain, allowSubdomains }) => ({ domain, allowsSubdomains: allowSubdomains === 1 }))
  },
})

/** Returns the domains in alphabetical order. */
export function findRealmDomains(db: Db, realmId: number): readonly RealmDomain[] | Promise<readonly RealmDomain[]> {
  return domainsOfRealm.get(db, realmId)
}

/** Adds or updates a domain. */
export async function saveRealmDomain(tx: Transaction, realmId: number, domain: RealmDomain): Promise<void> {
  const allowSubdomains = domain.allowsSubdomains ? 1 : 0
  await tx
    .insertInto('realmDomains')
    .values({ realmId, domain: domain.domain.toLowerCase(), allowSubdomains })
    .onConflict((on) => on.columns(['realmId', 'domain']).doUpdateSet({ allowSubdomains }))
    .execute()
}

/** Deletes a domain. Returns false if the organization did not have it. */
export async function deleteRealmDomain(tx: Transaction, realmId: number, domain: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('realmDomains')
    .where('realmId', '=', realmId)
    .where('domain', '=', domain.toLowerCase())
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

export const domainJson = z.object({ domain: z.string(), allow_subdomains: z.boolean() })

export type DomainJson = z.infer<typeof domainJson>

export function toDomainJson({ domain, allowsSubdomains }: RealmDomain): DomainJson {
  return { domain, allow_subdomains: allowsSubdomains }
}

const domainEmpty = refusal('BAD_REQUEST', 400, "Invalid domain: Domain can't be empty.", { field: 'domain' })
const domainTooLong = refusal('BAD_REQUEST', 400, 'Invalid domain: Domain is too long.', { field: 'domain' })
const domainWithoutDot = refusal('BAD_REQUEST', 400, 'Invalid domain: Domain must have at least one dot (.)', {
  field: 'domain',
})
const domainCharacters = refusal(
  'BAD_REQUEST',
  400,
  "Invalid domain: Domain can only have letters, numbers, '.' and '-'s, and its parts cannot begin or end with '-'.",
  { field: 'domain' },
)

export const domainNameRefusals = [domainEmpty, domainTooLong, domainWithoutDot, domainCharacters]

const LABEL = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?'
const DOMAIN = new RegExp(`^${LABEL}(?:\\.${LABEL})+$`)

/** Returns the domain in lower case, without surrounding white space. Refuses an invalid domain. */
export function requireDomainName(given: string): string {
  const domain = given.trim().toLowerCase()
  if (domain === '') throw domainEmpty()
  if (domain.length > 255) throw domainTooLong()
  if (!domain.includes('.')) throw domainWithoutDot()
  if (!DOMAIN.test(domain)) throw domainCharacters()
  return domain
}
