import { z } from 'zod'
import { type Network, parseNetwork } from '../public-address.ts'
import { buttonName, groupMapping, organizations, roleMapping } from './fields.ts'

// The declaration of a reverse proxy that signs people in, in the file of the operator.

/** Headers that every request has, or that say something else. */
const TAKEN = /^(host|cookie|authorization|origin|referer|user-agent|x-real-ip|x-forwarded-.*|sec-.*)$/i

const headerName = z
  .string()
  .max(100)
  .regex(/^[A-Za-z0-9_-]+$/, 'must be the name of a header')
  .refine((name) => !TAKEN.test(name), 'must be a header that nothing else uses')

const network = z
  .string()
  .refine((text) => parseNetwork(text) !== null, 'must be an IP address or a network such as 10.1.0.0/16')
  .refine((text) => parseNetwork(text)?.bits !== 0, 'must not contain all addresses')

export const proxyDeclaration = z
  .strictObject({
    name: buttonName.optional(),
    header: headerName
      .default('X-Remote-User')
      .describe('The header in which the proxy names the person who is signed in there.'),
    from: z
      .array(network)
      .min(1)
      .max(100)
      .describe('The addresses from which the proxy connects. The header counts in no other connection.'),
    append_domain: z
      .string()
      .max(253)
      .regex(/^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/, 'must be a domain, such as example.com')
      .optional()
      .describe('The domain that makes an email address of the name. Without it, the proxy names addresses.'),
    name_header: headerName.optional().describe('The header with the full name of the person.'),
    groups_header: headerName.optional().describe("The header with the person's groups, separated by commas."),
    groups: groupMapping.optional(),
    roles: roleMapping.optional(),
    organizations,
    create_accounts: z
      .boolean()
      .default(true)
      .describe('False if new people must not join. Otherwise, they join under the rules of the organization.'),
  })
  .check(({ value, issues }) => {
    if ((value.groups !== undefined || value.roles !== undefined) && value.groups_header === undefined)
      issues.push({ code: 'custom', message: 'is needed for groups and roles', path: ['groups_header'], input: value })
    const names = [value.header, value.name_header, value.groups_header].filter((name) => name !== undefined)
    if (new Set(names.map((name) => name.toLowerCase())).size < names.length)
      issues.push({ code: 'custom', message: 'must not occur twice', path: ['header'], input: value })
  })

/** A proxy as it is declared. Names of headers are in lower case. */
export type ProxySettings = Pick<z.infer<typeof proxyDeclaration>, 'name' | 'groups' | 'roles'> & {
  header: string
  nameHeader: string | null
  groupsHeader: string | null
  networks: readonly Network[]
  appendDomain: string | null
  organizations: string[] | null
  createsAccounts: boolean
}

export function resolveProxy(declared: z.infer<typeof proxyDeclaration>): ProxySettings {
  const { name, groups, roles, organizations: offered = null } = declared
  return {
    ...{ name, groups, roles, organizations: offered },
    header: declared.header.toLowerCase(),
    nameHeader: declared.name_header?.toLowerCase() ?? null,
    groupsHeader: declared.groups_header?.toLowerCase() ?? null,
    networks: declared.from.flatMap((text) => parseNetwork(text) ?? []),
    appendDomain: declared.append_domain ?? null,
    createsAccounts: declared.create_accounts,
  }
}
