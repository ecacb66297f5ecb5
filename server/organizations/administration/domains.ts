import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { refusal } from '#lib/errors.ts'
import { mustBeOwner, requireOwner } from '#people/access.ts'
import { recordAudit } from '#people/audit.ts'
import type { Actor } from '#people/users.ts'
import {
  type DomainJson,
  deleteRealmDomain,
  domainJson,
  domainNameRefusals,
  findRealmDomains,
  type RealmDomain,
  requireDomainName,
  saveRealmDomain,
  toDomainJson,
} from '#realms/domains.ts'
import { lockRealm } from '#realms/queries.ts'
import type { Transaction } from '#storage/storage.ts'
import { emitOrganizationEvents, type OrganizationEvent, saveOrganizationChanges } from './save-organization-changes.ts'

const domainTaken = refusal('BAD_REQUEST', 400, 'The domain {domain} is already a part of your organization.', {
  field: 'domain',
})
const noSuchDomain = refusal('BAD_REQUEST', 400, 'No entry found for domain {domain}.', { field: 'domain' })

/** Adds a domain whose addresses new accounts may have. */
async function addDomain(tx: Transaction, actor: Actor, given: DomainJson): Promise<void> {
  requireOwner(actor)
  const added = { ...given, domain: requireDomainName(given.domain) }
  await lockRealm(tx, actor.realmId)
  if ((await findDomain(tx, actor.realmId, added.domain)) !== undefined) throw domainTaken({ domain: added.domain })
  await saveDomains(tx, actor.realmId, [added])
  await recordDomain(tx, actor.realmId, null, added)
  await emitOrganizationEvents(tx, actor.realmId, [{ type: 'realm_domains', op: 'add', realm_domain: added }])
}

/** Changes whether addresses in subdomains of the domain are allowed. */
async function changeDomain(tx: Transaction, actor: Actor, given: DomainJson): Promise<void> {
  requireOwner(actor)
  const domain = await requireDomain(tx, actor, given.domain)
  if (domain.allowsSubdomains === given.allow_subdomains) return
  const changed = { domain: domain.domain, allow_subdomains: given.allow_subdomains }
  await saveDomains(tx, actor.realmId, [changed])
  await recordDomain(tx, actor.realmId, toDomainJson(domain), changed)
  await emitOrganizationEvents(tx, actor.realmId, [{ type: 'realm_domains', op: 'change', realm_domain: changed }])
}

/** Removes a domain. If it was the last one, addresses are no longer restricted to domains. */
async function removeDomain(tx: Transaction, actor: Actor, given: string): Promise<void> {
  requireOwner(actor)
  const removed = await requireDomain(tx, actor, given)
  const { domain } = removed
  await deleteRealmDomain(tx, actor.realmId, domain)
  await recordDomain(tx, actor.realmId, toDomainJson(removed), null)
  await emitOrganizationEvents(tx, actor.realmId, [{ type: 'realm_domains', op: 'remove', domain }])
  if ((await findRealmDomains(tx.db, actor.realmId)).length > 0) return
  await saveOrganizationChanges(tx, await lockRealm(tx, actor.realmId), {
    settings: { emails_restricted_to_domains: false },
  })
}

export async function replaceDomains(tx: Transaction, realmId: number, given: readonly DomainJson[]): Promise<void> {
  const wanted = new Map(given.map((one) => [requireDomainName(one.domain), one.allow_subdomains]))
  const current = new Map((await findRealmDomains(tx.db, realmId)).map((one) => [one.domain, one.allowsSubdomains]))
  const events: OrganizationEvent[] = []
  for (const [domain, allow_subdomains] of current) {
    if (wanted.has(domain)) continue
    await deleteRealmDomain(tx, realmId, domain)
    await recordDomain(tx, realmId, { domain, allow_subdomains }, null)
    events.push({ type: 'realm_domains', op: 'remove', domain })
  }
  for (const [domain, allow_subdomains] of wanted) {
    if (current.get(domain) === allow_subdomains) continue
    const realm_domain = { domain, allow_subdomains }
    await saveDomains(tx, realmId, [realm_domain])
    const before = current.get(domain)
    await recordDomain(tx, realmId, before === undefined ? null : { domain, allow_subdomains: before }, realm_domain)
    events.push({ type: 'realm_domains', op: current.has(domain) ? 'change' : 'add', realm_domain })
  }
  await emitOrganizationEvents(tx, realmId, events)
}

const recordDomain = (
  tx: Transaction,
  realmId: number,
  from: DomainJson | null,
  to: DomainJson | null,
): Promise<void> => recordAudit(tx, realmId, 'organization_changed', { setting: 'domains', from, to })

async function saveDomains(tx: Transaction, realmId: number, domains: readonly DomainJson[]): Promise<void> {
  for (const { domain, allow_subdomains } of domains) {
    await saveRealmDomain(tx, realmId, { domain, allowsSubdomains: allow_subdomains })
  }
}

async function findDomain(tx: Transaction, realmId: number, domain: string): Promise<RealmDomain | undefined> {
  return (await findRealmDomains(tx.db, realmId)).find((one) => one.domain === domain)
}

async function requireDomain(tx: Transaction, actor: Actor, given: string): Promise<RealmDomain> {
  await lockRealm(tx, actor.realmId)
  const domain = await findDomain(tx, actor.realmId, given.trim().toLowerCase())
  if (domain === undefined) throw noSuchDomain({ domain: given })
  return domain
}

const allowSubdomains = z.boolean().default(false).describe('Whether addresses in subdomains are also allowed.')

export const listDomains = endpoint({
  route: 'GET /realm/domains',
  summary: 'List the allowed email domains',
  description: 'They apply if `emails_restricted_to_domains` is set.',
  who: 'user',
  returns: { domains: z.array(domainJson) },
  async handle({ db, actor }) {
    return { domains: (await findRealmDomains(db, actor.realmId)).map(toDomainJson) }
  },
})

export const addDomainEndpoint = endpoint({
  route: 'POST /realm/domains',
  summary: 'Add an allowed email domain',
  who: 'user',
  params: { domain: z.string(), allow_subdomains: allowSubdomains },
  refuses: [mustBeOwner, domainTaken, ...domainNameRefusals],
  async handle(call, domain) {
    const { transaction, actor } = call
    await transaction((tx) => addDomain(tx, actor, domain))
    return {}
  },
})

export const changeDomainEndpoint = endpoint({
  route: 'PATCH /realm/domains/{domain}',
  summary: 'Change an allowed email domain',
  who: 'user',
  path: { domain: z.string() },
  params: { allow_subdomains: z.boolean() },
  refuses: [mustBeOwner, noSuchDomain],
  async handle(call, domain) {
    const { transaction, actor } = call
    await transaction((tx) => changeDomain(tx, actor, domain))
    return {}
  },
})

export const removeDomainEndpoint = endpoint({
  route: 'DELETE /realm/domains/{domain}',
  summary: 'Remove an allowed email domain',
  description: 'Removing the last domain also disables `emails_restricted_to_domains`.',
  who: 'user',
  path: { domain: z.string() },
  refuses: [mustBeOwner, noSuchDomain],
  async handle(call, { domain }) {
    const { transaction, actor } = call
    await transaction((tx) => removeDomain(tx, actor, domain))
    return {}
  },
})
