import { readFileSync } from 'node:fs'
import path from 'node:path'
import { FilterParser } from 'ldapts'
import { z } from 'zod'
import { type FileContext, groupMapping, mapping, methodId, organizations, readSecret, roleMapping } from './fields.ts'

// The declaration of an LDAP directory in the file of the operator.

const isFilter = (text: string): boolean => {
  try {
    FilterParser.parseString(text.replace(PLACEHOLDER, 'x'))
    // The parser takes a filter whose last parentheses are missing.
    return text.startsWith('(') && text.split('(').length === text.split(')').length
  } catch {
    return false
  }
}

/** A placeholder for a value in a filter, such as `{name}`. */
export const PLACEHOLDER = /\{([a-zA-Z][a-zA-Z0-9-]*)\}/g

const filter = z.string().max(2000).refine(isFilter, 'must be an LDAP filter in parentheses')

const attribute = z
  .string()
  .max(100)
  .regex(/^[a-zA-Z][a-zA-Z0-9-]*(;[a-zA-Z0-9-]+)*$/, 'must be the name of an attribute')

const dn = z
  .string()
  .max(1000)
  .regex(/^[a-zA-Z0-9.-]+ *=/, 'must be a distinguished name, such as dc=example,dc=com')

const address = z
  .url({ protocol: /^ldaps?$/, error: 'must be an ldap or ldaps address' })
  .max(300)
  .refine((text) => URL.canParse(text) && new URL(text).hostname !== '', 'needs a host')

const attributes = z.strictObject({
  id: attribute
    .default('entryUUID')
    .describe('The attribute that identifies an entry and never changes: `objectGUID` in Active Directory.'),
  email: attribute.default('mail'),
  full_name: attribute.default('cn'),
  picture: attribute.optional().describe('The picture as JPEG, such as `jpegPhoto` or `thumbnailPhoto`.'),
  profile_fields: mapping(attribute)
    .optional()
    .describe('Attributes by the names of custom profile fields of the organization.'),
})

export const operatorDirectory = z
  .strictObject({
    id: methodId.describe('The id by which accounts remember the directory. Never give it to another one.'),
    name: z.string().trim().min(1).max(40).default('LDAP').describe('The name of the directory on pages.'),
    url: z
      .union([address, z.array(address).min(1).max(5)])
      .describe(
        '`ldaps://HOST` or `ldap://HOST`, with the port if it is not the usual one. Several are tried in order.',
      ),
    start_tls: z.boolean().default(false).describe('True to encrypt ldap:// connections with StartTLS.'),
    allow_unencrypted: z
      .boolean()
      .default(false)
      .describe('True to send passwords without encryption. Not needed if the server is on this machine.'),
    ca_file: z
      .string()
      .optional()
      .describe(
        'A file, in the folder of this one or by its path, with the certificates (PEM) of the authorities to trust. The usual ones if omitted.',
      ),
    bind_dn: z
      .string()
      .min(1)
      .max(1000)
      .optional()
      .describe('The account that searches the directory. Anonymous if omitted.'),
    bind_password: z.string().min(1).optional(),
    bind_password_env: z.string().min(1).optional().describe('The environment variable that contains the password.'),
    base_dn: dn.describe('Where the entries of people are, such as `ou=people,dc=example,dc=com`.'),
    search_filter: filter
      .default('(uid={name})')
      .refine((text) => text.includes('{name}'), 'must contain {name}')
      .describe(
        'Finds the entry of a person; `{name}` is what they enter. To sign in by address as well: `(|(uid={name})(mail={name}))`.',
      ),
    disabled_filter: filter
      .optional()
      .describe(
        'Matches entries of people who must not sign in. Active Directory: `(userAccountControl:1.2.840.113556.1.4.803:=2)`.',
      ),
    attributes: attributes.prefault({}),
    groups_attribute: attribute
      .optional()
      .describe(
        'The attribute of people that lists their groups, such as `memberOf`. `groups` and `roles` then name the DNs of groups.',
      ),
    groups_search: z
      .strictObject({
        base_dn: dn,
        filter: filter
          .default('(member={dn})')
          .describe(
            'Finds the groups of a person: `{dn}` is the name of their entry, and `{uid}`, for example, their attribute `uid`.',
          ),
        attribute: attribute.default('cn').describe('The attribute of groups that `groups` and `roles` name.'),
      })
      .optional()
      .describe('Searches the groups of a person.'),
    groups: groupMapping.optional(),
    roles: roleMapping.optional(),
    organizations,
    link_by_address: z
      .boolean()
      .default(false)
      .describe(
        'True to connect people to existing accounts with the same address without asking. Only for directories in which nobody can enter an address of their choice.',
      ),
    sync_minutes: z
      .int()
      .min(0)
      .max(10_080)
      .default(60)
      .describe('The time between two updates of the accounts from the directory; 0 for none.'),
    reactivates: z
      .boolean()
      .default(false)
      .describe('True to reactivate accounts that an update has deactivated, when their entry returns.'),
    timeout_seconds: z.number().min(1).max(60).default(10).describe('The time limit of each step.'),
  })
  .check(({ value, issues }) => {
    const complain = (field: string, message: string) =>
      issues.push({ code: 'custom', message, path: [field], input: value })
    const addresses = [value.url].flat().filter((text) => URL.canParse(text))
    if (value.start_tls && addresses.some((text) => text.startsWith('ldaps:')))
      complain('start_tls', 'is only for ldap:// addresses')
    if (!(value.start_tls || value.allow_unencrypted || addresses.every(isSafe)))
      complain('url', 'must begin with ldaps://, unless start_tls or allow_unencrypted is true')
    if ((value.groups !== undefined || value.roles !== undefined) && !findsGroups(value))
      complain('groups_attribute', 'or groups_search is needed for groups and roles')
    if (value.groups_attribute !== undefined && value.groups_search !== undefined)
      complain('groups_attribute', 'and groups_search exclude each other')
  })

const isSafe = (address: string): boolean =>
  address.startsWith('ldaps:') || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(address).hostname)

const findsGroups = (value: { groups_attribute?: unknown; groups_search?: unknown }): boolean =>
  value.groups_attribute !== undefined || value.groups_search !== undefined

/** A directory as the operator declared it, with its secret and certificates. `organizations` is null if all use it. */
export type DirectorySettings = Omit<
  z.infer<typeof operatorDirectory>,
  'url' | 'bind_password' | 'bind_password_env' | 'ca_file' | 'organizations'
> & {
  urls: string[]
  bindPassword: string
  /** The certificates to trust in PEM format; null for the usual ones. */
  ca: string | null
  organizations: string[] | null
}

/** Returns the declaration with the password and the certificates that it refers to. */
export function resolveDirectory(
  {
    url,
    ca_file: caFile,
    bind_password: value,
    bind_password_env: variable,
    organizations: offered,
    ...directory
  }: z.infer<typeof operatorDirectory>,
  context: FileContext,
): DirectorySettings {
  const { id, bind_dn } = directory
  const bindPassword = bind_dn === undefined ? '' : readSecret(context, { id, field: 'bind_password', value, variable })
  let ca: string | null = null
  try {
    ca = caFile === undefined ? null : readFileSync(path.resolve(context.folder, caFile), 'utf8')
  } catch {
    context.complain(`${id}: ca_file cannot be read`)
  }
  return { ...directory, urls: [url].flat(), bindPassword, ca, organizations: offered ?? null }
}
