import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { logActorEvent } from '#http/security-log.ts'
import { mustBeOwner } from '#people/users/access.ts'
import { domainJson, toDomainJson } from '#realms/domain-json.ts'
import { domainNameRefusals } from '#realms/domain-name.ts'
import { findRealmDomains } from '#realms/domain-queries.ts'
import * as domains from '../change-domains.ts'

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
  refuses: [mustBeOwner, domains.domainTaken, ...domainNameRefusals],
  async handle(call, domain) {
    const { transaction, actor } = call
    await transaction((tx) => domains.addDomain(tx, actor, domain))
    logActorEvent(call, 'organization_changed', { targetId: null, settings: ['domains'] })
    return {}
  },
})

export const changeDomainEndpoint = endpoint({
  route: 'PATCH /realm/domains/{domain}',
  summary: 'Change an allowed email domain',
  who: 'user',
  path: { domain: z.string() },
  params: { allow_subdomains: z.boolean() },
  refuses: [mustBeOwner, domains.noSuchDomain],
  async handle(call, domain) {
    const { transaction, actor } = call
    await transaction((tx) => domains.changeDomain(tx, actor, domain))
    logActorEvent(call, 'organization_changed', { targetId: null, settings: ['domains'] })
    return {}
  },
})

export const removeDomainEndpoint = endpoint({
  route: 'DELETE /realm/domains/{domain}',
  summary: 'Remove an allowed email domain',
  description: 'Removing the last domain also disables `emails_restricted_to_domains`.',
  who: 'user',
  path: { domain: z.string() },
  refuses: [mustBeOwner, domains.noSuchDomain],
  async handle(call, { domain }) {
    const { transaction, actor } = call
    await transaction((tx) => domains.removeDomain(tx, actor, domain))
    logActorEvent(call, 'organization_changed', { targetId: null, settings: ['domains'] })
    return {}
  },
})
