import { findRealmDomains, type RealmDomain } from '#realms/domain-queries.ts'
import type { Realm } from '#realms/realm.ts'
import type { Db } from '#storage/storage.ts'
import { isDisposableDomain } from './addresses/disposable-domains.ts'
import { domainOf, isEmailAddress, localPartOf } from './addresses/email-address.ts'

/** The rules for the addresses of new accounts in an organization. */
type JoiningRules = { domains: readonly RealmDomain[] | null; allowsDisposable: boolean }

export async function findJoiningRules(db: Db, realm: Realm): Promise<JoiningRules> {
  const { emails_restricted_to_domains, disallow_disposable_email_addresses } = realm.settings
  return {
    domains: emails_restricted_to_domains ? await findRealmDomains(db, realm.id) : null,
    allowsDisposable: !disallow_disposable_email_addresses,
  }
}

/** Returns the reason why an account cannot have this address, as an error text of the API; null if it can. */
export function findEmailProblem(rules: JoiningRules, email: string): string | null {
  if (!isEmailAddress(email)) return 'Invalid address.'
  const domain = domainOf(email)
  if (rules.domains === null)
    return !rules.allowsDisposable && isDisposableDomain(domain) ? 'Please use your real email address.' : null
  if (localPartOf(email).includes('+')) return 'Email addresses containing + are not allowed.'
  return rules.domains.some((allowed) => isWithin(allowed, domain)) ? null : 'Outside your domain.'
}

function isWithin(allowed: RealmDomain, domain: string): boolean {
  return domain === allowed.domain || (allowed.allowsSubdomains && domain.endsWith(`.${allowed.domain}`))
}
