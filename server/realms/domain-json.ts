import { z } from 'zod'
import type { RealmDomain } from './domain-queries.ts'

export const domainJson = z.object({ domain: z.string(), allow_subdomains: z.boolean() })

export type DomainJson = z.infer<typeof domainJson>

export function toDomainJson({ domain, allowsSubdomains }: RealmDomain): DomainJson {
  return { domain, allow_subdomains: allowsSubdomains }
}
