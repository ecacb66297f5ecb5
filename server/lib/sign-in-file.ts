import { readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import {
  buttonName,
  type FileContext,
  groupMapping,
  mapping,
  methodId,
  organizations,
  readSecret,
  roleMapping,
  signInRoles,
  webAddress,
} from './sign-in/fields.ts'
import { type JwtSettings, jwtDeclaration, resolveJwt } from './sign-in/jwt.ts'
import { type DirectorySettings, operatorDirectory, PLACEHOLDER, resolveDirectory } from './sign-in/ldap.ts'
import { type ProxySettings, proxyDeclaration, resolveProxy } from './sign-in/proxy.ts'
import { resolveSaml, type SamlSettings, samlDeclaration } from './sign-in/saml.ts'

export type { JwtSettings, ProxySettings }
export { type DirectorySettings, operatorDirectory, PLACEHOLDER, resolveDirectory }

// The file in which the operator declares how people sign in besides with a password. docs/sign-in-file.schema.json is
// its published schema. A secret is in the file, or in an environment variable that the file names. Errors name the
// place in the file, so that the server does not start with half of a declaration.

type Preset = {
  /** The name on the button, unless the declaration has another. */
  name: string
  /** The issuer of a service that has one address; null if each installation has its own. */
  issuer: string | null
  scopes: string
}

const OPENID_SCOPES = 'openid profile email'

/** The services for which little has to be declared. `openid` is any other one with a discovery document. */
export const signInPresets = {
  google: { name: 'Google', issuer: 'https://accounts.google.com', scopes: OPENID_SCOPES },
  github: { name: 'GitHub', issuer: 'https://github.com', scopes: 'read:user user:email' },
  gitlab: { name: 'GitLab', issuer: 'https://gitlab.com', scopes: OPENID_SCOPES },
  microsoft: { name: 'Microsoft', issuer: null, scopes: OPENID_SCOPES },
  apple: { name: 'Apple', issuer: 'https://appleid.apple.com', scopes: 'openid name email' },
  keycloak: { name: 'Keycloak', issuer: null, scopes: OPENID_SCOPES },
  authentik: { name: 'Authentik', issuer: null, scopes: OPENID_SCOPES },
  openid: { name: 'Single sign-on', issuer: null, scopes: OPENID_SCOPES },
} as const satisfies Record<string, Preset>

type SignInPreset = keyof typeof signInPresets

export const signInPresetNames = Object.keys(signInPresets) as SignInPreset[]

/** The fields of a provider that do not depend on who declares it. */
const providerFields = {
  preset: z.enum(signInPresetNames).describe('The service. `openid` for any other one with a discovery document.'),
  name: buttonName.optional(),
  issuer: webAddress
    .optional()
    .describe(
      'The address of the provider, without `/.well-known/openid-configuration`. Google, GitHub, GitLab and Apple have one already.',
    ),
  client_id: z.string().trim().min(1).max(500),
  scopes: z.string().max(500).optional().describe('The scopes to request, separated by spaces.'),
  addresses_are_verified: z
    .boolean()
    .optional()
    .describe(
      'Accepts addresses that the provider does not mark as verified. Only for providers at which nobody can enter an address of their choice.',
    ),
  groups_claim: z.string().min(1).max(100).optional().describe('The claim that lists groups, such as `groups`.'),
  groups: groupMapping.optional(),
  team_id: z.string().max(50).optional().describe('Apple: the team id. `client_secret` is the key in PEM format.'),
  key_id: z.string().max(50).optional().describe('Apple: the id of the key.'),
}

type Fields = { preset: SignInPreset; issuer?: string | undefined; groups?: unknown; roles?: unknown } & {
  [Name in 'groups_claim' | 'team_id' | 'key_id']?: string | undefined
}

/** Reports fields that are needed together. */
function checkTogether({ value, issues }: z.core.ParsePayload<Fields>) {
  const complain = (field: string, message: string) =>
    issues.push({ code: 'custom', message, path: [field], input: value })
  if (signInPresets[value.preset].issuer === null && value.issuer === undefined)
    complain('issuer', 'is needed for this preset')
  if ((value.groups !== undefined || value.roles !== undefined) && value.groups_claim === undefined)
    complain('groups_claim', 'is needed for groups and roles')
  if (value.preset === 'apple' && (value.team_id === undefined || value.key_id === undefined))
    complain('team_id', 'Apple needs team_id and key_id')
  if (value.preset === 'microsoft' && /\/(common|organizations|consumers)(\/|$)/.test(value.issuer ?? ''))
    complain('issuer', 'must contain the id of your tenant instead of a word for all tenants')
}

/** The declaration of a provider by an owner of an organization. Its groups give roles below that of owners only. */
export const ownerProviderSettings = z
  .strictObject({ ...providerFields, roles: mapping(z.enum(signInRoles).exclude(['owner'])).optional() })
  .check(checkTogether)

const operatorProvider = z
  .strictObject({
    id: methodId.describe('Part of the redirect address: `https://HOST/complete/ID/`.'),
    ...providerFields,
    client_secret: z.string().min(1).optional(),
    client_secret_env: z.string().min(1).optional().describe('The environment variable that contains the secret.'),
    organizations,
    roles: roleMapping.optional(),
  })
  .check(checkTogether)

/** A provider as it is declared. */
export type ProviderSettings = Omit<z.infer<typeof ownerProviderSettings>, 'roles'> & {
  roles?: Record<string, (typeof signInRoles)[number]> | undefined
}

/** A provider of the operator, with its secret. `organizations` is null if all offer it. */
type OperatorProvider = ProviderSettings & { id: string; clientSecret: string; organizations: string[] | null }

export const signInFileSchema = z.strictObject({
  $schema: z.string().optional(),
  owners_may_add_providers: z
    .boolean()
    .default(true)
    .describe('False if owners of organizations must not add providers of their own.'),
  providers: z.array(operatorProvider).default([]),
  saml: z.array(samlDeclaration).max(50).default([]).describe('Identity providers of SAML 2.0.'),
  ldap: z.array(operatorDirectory).max(20).default([]).describe('Directories whose passwords people use to sign in.'),
  proxy: proxyDeclaration.optional().describe('A reverse proxy that has signed people in already.'),
  jwt: z
    .array(jwtDeclaration)
    .max(100)
    .default([])
    .describe('Programs that sign people in with JSON Web Tokens. Several keys of an organization all count.'),
})

/** The content of the file, with all secrets. */
export type SignInFile = {
  ownersMayAddProviders: boolean
  providers: OperatorProvider[]
  saml: SamlSettings[]
  ldap: DirectorySettings[]
  proxy: ProxySettings | null
  jwt: JwtSettings[]
}

export const noSignInFile: SignInFile = {
  ownersMayAddProviders: true,
  providers: [],
  saml: [],
  ldap: [],
  proxy: null,
  jwt: [],
}

/** Reads the file. Throws an error whose message lists all problems, without a value of the file. */
export function readSignInFile(file: string, environment: Record<string, string | undefined>): SignInFile {
  const parsed = signInFileSchema.safeParse(readJson(file))
  if (!parsed.success)
    throw new Error(
      parsed.error.issues.map(({ path: at, message }) => `${at.join('.') || 'file'}: ${message}`).join('; '),
    )
  const { owners_may_add_providers: ownersMayAddProviders, providers, saml, ldap, proxy, jwt } = parsed.data
  const problems: string[] = []
  const context: FileContext = {
    environment,
    folder: path.dirname(file),
    complain: (problem) => problems.push(problem),
  }
  checkIds([...providers, ...saml, ...ldap], context)
  const content = {
    ownersMayAddProviders,
    providers: providers.map((provider) => resolveProvider(provider, context)),
    saml: saml.map((provider) => resolveSaml(provider, context)),
    ldap: ldap.map((directory) => resolveDirectory(directory, context)),
    proxy: proxy === undefined ? null : resolveProxy(proxy),
    jwt: resolveJwt(jwt, context),
  }
  if (problems.length > 0) throw new Error(problems.join('; '))
  return content
}

function resolveProvider(
  {
    client_secret: value,
    client_secret_env: variable,
    organizations: offered,
    ...provider
  }: z.infer<typeof operatorProvider>,
  context: FileContext,
): OperatorProvider {
  if (provider.id === 'saml') context.complain('saml: this id would be the address to which providers of SAML answer')
  const clientSecret = readSecret(context, { id: provider.id, field: 'client_secret', value, variable })
  return { ...provider, clientSecret, organizations: offered ?? null }
}

/** Methods of all kinds share one space of ids, because people are known by the id of the method. */
function checkIds(methods: readonly { id: string }[], { complain }: FileContext): void {
  const ids = new Set<string>()
  for (const { id } of methods) {
    if (ids.has(id)) complain(`the id ${id} occurs twice`)
    ids.add(id)
  }
}

function readJson(file: string): unknown {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    throw new Error('cannot be read')
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('is not JSON')
  }
}
