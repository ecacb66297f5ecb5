import type { KeyObject } from 'node:crypto'
import { refusal } from '#lib/errors.ts'
import { decrypt, encrypt, type Random } from '#lib/secrets.ts'
import { type DirectorySettings, type ProviderSettings, type SignInFile, signInPresets } from '#lib/sign-in-file.ts'
import { findUser } from '#people/user-queries.ts'
import type { Realm } from '#realms/realm.ts'
import { defineCache } from '#storage/cache.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { type Connection, findProvidersUsedBy, isOfProvider, OWNERS_PREFIX } from './external-identities.ts'
import { TOKENS } from './jwt.ts'
import { findProxy, PROXY } from './proxy.ts'

// The methods to sign in to an organization: its password, the directories and providers that the operator declares in
// SIGN_IN_FILE, and the providers that owners of the organization have added. This is the only list of methods: the
// sign-in page, the settings for clients and the rule against locking everyone out derive from it.

export type Provider = ProviderSettings & {
  /** Unique in the organization; part of addresses. Those of owners begin with `own-`. */
  id: string
  /** The name on the button. */
  displayName: string
  /** The service whose ids of people count. With another one, nobody keeps the connection to their account. */
  issuer: string
  clientSecret: string
  /** True if owners of the organization have added it. It is not trusted to reach private networks. */
  isOwners: boolean
}

/** An identity provider of SAML 2.0, which only the operator can declare. Its issuer is its entity ID. */
export type SamlProvider = SignInFile['saml'][number] & {
  preset: 'saml'
  displayName: string
  issuer: string
  isOwners: false
}

/** A provider, whatever its protocol is. */
export type AnyProvider = Provider | SamlProvider

/** An LDAP directory, which only the operator can declare. */
export type Directory = DirectorySettings & {
  preset: 'ldap'
  displayName: string
  issuer: string
  isOwners: false
}

/** A service that identifies people: a provider or a directory. */
export type IdentitySource = AnyProvider | Directory

/** The mappings of a method, of whatever kind it is, to roles and user groups. */
export type Mappings = Pick<IdentitySource, 'displayName' | 'groups' | 'roles' | 'isOwners'>

const purposeOf = (realmId: number) => ['client secret', realmId]

const rowsOfRealm = defineCache<number, readonly { id: number; settings: string; secret: string }[]>({
  dependsOn: ['signInProviders'],
  limit: 1000,
  load: (db, realmId) =>
    db
      .selectFrom('signInProviders')
      .select(['id', 'settings', 'secret'])
      .where('realmId', '=', realmId)
      .orderBy('id')
      .execute(),
})

const offeredIn =
  ({ subdomain }: Pick<Realm, 'subdomain'>) =>
  ({ organizations }: { organizations: readonly string[] | null }): boolean =>
    organizations?.includes(subdomain) ?? true

/** Returns the identity providers of SAML, even if owners of the organization turned them off. */
export function findSamlProviders({ settings }: Db, realm: Pick<Realm, 'subdomain'>): SamlProvider[] {
  return settings.SIGN_IN_FILE.saml.filter(offeredIn(realm)).map((declared) => ({
    ...declared,
    preset: 'saml',
    displayName: declared.name ?? signInPresets.openid.name,
    issuer: declared.entityId,
    isOwners: false,
  }))
}

/** Returns all providers of the organization, of all protocols, even those that its owners turned off. */
export async function findAllProviders(db: Db, realm: Pick<Realm, 'id' | 'subdomain'>): Promise<AnyProvider[]> {
  return [...(await findProviders(db, realm)), ...findSamlProviders(db, realm)]
}

/**
 * Returns all providers of OpenID Connect and OAuth 2 in the organization, those of the operator first, even those that
 * its owners turned off.
 */
export async function findProviders(db: Db, realm: Pick<Realm, 'id' | 'subdomain'>): Promise<Provider[]> {
  const { providers, ownersMayAddProviders } = db.settings.SIGN_IN_FILE
  const declared = providers.filter(offeredIn(realm))
  const own = ownersMayAddProviders ? await rowsOfRealm.get(db, realm.id) : []
  return [
    ...declared.map((provider) => complete(provider, { ...provider, isOwners: false })),
    ...own.map(({ id, settings, secret }) =>
      complete(JSON.parse(settings) as ProviderSettings, {
        id: OWNERS_PREFIX + id,
        clientSecret: decrypt(db.secret(), purposeOf(realm.id), secret) ?? '',
        isOwners: true,
      }),
    ),
  ]
}

function complete(
  settings: ProviderSettings,
  { id, clientSecret, isOwners }: Pick<Provider, 'id' | 'clientSecret' | 'isOwners'>,
): Provider {
  const preset = signInPresets[settings.preset]
  const issuer = settings.issuer ?? preset.issuer ?? ''
  return { ...settings, id, clientSecret, isOwners, issuer, displayName: settings.name ?? preset.name }
}

/** Returns all directories of the organization, even if its owners turned them off. */
export function findDirectories({ settings }: Db, realm: Pick<Realm, 'subdomain'>): Directory[] {
  return settings.SIGN_IN_FILE.ldap.filter(offeredIn(realm)).map((declared) => ({
    ...declared,
    preset: 'ldap',
    displayName: declared.name,
    issuer: namingContext(declared.base_dn),
    isOwners: false,
  }))
}

/**
 * Returns the part of a DN that names the directory as a whole: the domain in `ou=people,dc=example,dc=com`. Another
 * server of the directory, or a narrower search, does not change it.
 */
function namingContext(dn: string): string {
  const normal = dn
    .toLowerCase()
    .replace(/\s*([,=])\s*/g, '$1')
    .trim()
  return /(?:^|,)(dc=.*)$/.exec(normal)?.[1] ?? normal
}

/** Returns the number of a provider that owners have added; null if it is a provider of the operator. */
export const ownProviderNumber = (id: string): number | null =>
  /^own-\d{1,15}$/.test(id) ? Number(id.slice(OWNERS_PREFIX.length)) : null

/** Saves a provider of the organization and returns its id. With `id`, it replaces an existing one. */
export async function saveOwnProvider(
  tx: Transaction,
  { secret, random }: { secret: KeyObject; random: Random },
  realmId: number,
  { id, settings, clientSecret }: { id?: number; settings: ProviderSettings; clientSecret: string | null },
): Promise<string> {
  const encrypted = clientSecret === null ? null : encrypt(secret, random, purposeOf(realmId), clientSecret)
  const text = JSON.stringify(settings)
  if (id !== undefined) {
    const changed = { settings: text, ...(encrypted !== null && { secret: encrypted }) }
    await tx.updateTable('signInProviders').set(changed).where('id', '=', id).where('realmId', '=', realmId).execute()
    return OWNERS_PREFIX + id
  }
  const saved = await tx
    .insertInto('signInProviders')
    .values({ realmId, settings: text, secret: encrypted ?? '', createdAt: tx.now })
    .returning('id')
    .executeTakeFirstOrThrow()
  return OWNERS_PREFIX + saved.id
}

export async function deleteOwnProvider(tx: Transaction, realmId: number, id: number): Promise<void> {
  await tx.deleteFrom('signInProviders').where('id', '=', id).where('realmId', '=', realmId).execute()
}

/** The names of methods in the API: in `authentication_methods` of organizations, and of the server settings. */
const NAMES: Record<ExternalMethod['preset'], { ofRealm: string; ofServer: string }> = {
  google: { ofRealm: 'Google', ofServer: 'google' },
  github: { ofRealm: 'GitHub', ofServer: 'github' },
  gitlab: { ofRealm: 'GitLab', ofServer: 'gitlab' },
  microsoft: { ofRealm: 'AzureAD', ofServer: 'azuread' },
  apple: { ofRealm: 'Apple', ofServer: 'apple' },
  keycloak: { ofRealm: 'OpenID Connect', ofServer: 'openid connect' },
  authentik: { ofRealm: 'OpenID Connect', ofServer: 'openid connect' },
  openid: { ofRealm: 'OpenID Connect', ofServer: 'openid connect' },
  saml: { ofRealm: 'SAML', ofServer: 'saml' },
  proxy: { ofRealm: 'RemoteUser', ofServer: 'remoteuser' },
}

/** The name of passwords in `authentication_methods` of organizations. */
export const PASSWORD_METHOD = 'Email'

/** The name of directories there. */
export const DIRECTORY_METHOD = 'LDAP'

/** A method besides the password: what the sign-in page and clients have to know of it. */
type ExternalMethod = {
  id: string
  issuer: string
  displayName: string
  /** The service, which decides on the look of the button. */
  preset: AnyProvider['preset'] | 'proxy'
  /** The name in `authentication_methods` of organizations. */
  realmName: string
  /** The name in `authentication_methods` of the server settings. */
  serverName: string
  /** True unless the owners of the organization have turned it off. */
  isEnabled: boolean
}

export type SignInMethods = {
  /** True if people can sign in with a password. Without another method, it is true whatever was chosen. */
  isPasswordEnabled: boolean
  /** True if people can sign in with the password of a directory. */
  isDirectoryEnabled: boolean
  external: readonly ExternalMethod[]
  directories: readonly Directory[]
}

type WithMethods = Pick<Realm, 'id' | 'subdomain'> & { settings: Pick<Realm['settings'], 'authentication_methods'> }

/** Returns all methods of the organization, with the choices of its owners. */
export async function findSignInMethods(db: Db, realm: WithMethods): Promise<SignInMethods> {
  const chosen = realm.settings.authentication_methods
  const proxy = findProxy(db, realm)
  const all: Pick<ExternalMethod, 'id' | 'issuer' | 'displayName' | 'preset'>[] = await findAllProviders(db, realm)
  if (proxy !== null) all.unshift({ ...PROXY, displayName: proxy.name ?? signInPresets.openid.name, preset: 'proxy' })
  const external = all.map(({ id, issuer, displayName, preset }) => {
    const { ofRealm: realmName, ofServer: serverName } = NAMES[preset]
    return { id, issuer, displayName, preset, realmName, serverName, isEnabled: chosen[realmName] !== false }
  })
  const directories = findDirectories(db, realm)
  const isDirectoryEnabled = directories.length > 0 && chosen[DIRECTORY_METHOD] !== false
  const hasOther = isDirectoryEnabled || external.some(({ isEnabled }) => isEnabled)
  return {
    isPasswordEnabled: chosen[PASSWORD_METHOD] !== false || !hasOther,
    isDirectoryEnabled,
    external,
    directories,
  }
}

/** Returns whether people sign in by entering a password, of this server or of a directory. */
export const takesPasswords = ({ isPasswordEnabled, isDirectoryEnabled }: SignInMethods): boolean =>
  isPasswordEnabled || isDirectoryEnabled

/**
 * Returns the directory to which the account is connected, with the id of its entry; null if it is to none that people
 * can sign in with. Such an account has the password of the directory alone.
 */
export async function findDirectoryLink(
  db: Db,
  { isDirectoryEnabled, directories }: SignInMethods,
  userId: number,
): Promise<{ directory: Directory; subject: string } | null> {
  if (!isDirectoryEnabled) return null
  for (const row of await findProvidersUsedBy(db, userId)) {
    const directory = directories.find((one) => isOfProvider(row, one))
    if (directory !== undefined) return { directory, subject: row.subject }
  }
  return null
}

/** Returns the provider or directory with this id if people can sign in with it; null otherwise. */
export async function findEnabledSource(db: Db, realm: WithMethods, id: string): Promise<IdentitySource | null> {
  const { isDirectoryEnabled, directories } = await findSignInMethods(db, realm)
  const directory = directories.find((one) => isDirectoryEnabled && one.id === id)
  return directory ?? findEnabledProvider(db, realm, id)
}

/** Returns the provider with this id if people can sign in with it; null otherwise. */
export async function findEnabledProvider(db: Db, realm: WithMethods, id: string): Promise<AnyProvider | null> {
  const { external } = await findSignInMethods(db, realm)
  if (!external.some((method) => method.id === id && method.isEnabled)) return null
  return (await findAllProviders(db, realm)).find((provider) => provider.id === id) ?? null
}

/** Returns the methods as clients of the organization know them. */
export function realmMethodsJson({ isPasswordEnabled, isDirectoryEnabled, directories, external }: SignInMethods) {
  const methods: Record<string, { enabled: boolean; available: boolean }> = {
    [PASSWORD_METHOD]: { enabled: isPasswordEnabled, available: true },
    ...(directories.length > 0 && { [DIRECTORY_METHOD]: { enabled: isDirectoryEnabled, available: true } }),
  }
  for (const { realmName, isEnabled } of external) methods[realmName] = { enabled: isEnabled, available: true }
  return methods
}

export const wouldLockOut = refusal(
  'BAD_REQUEST',
  400,
  'Sign in once with another method that stays enabled. Otherwise, owners could lock themselves out.',
)
export const unknownMethod = refusal('BAD_REQUEST', 400, "There is no authentication method '{name}'.", {
  field: 'authentication_methods',
})

/** Refuses names of methods that the organization does not have. */
export function requireKnownMethods(methods: SignInMethods, given: Readonly<Record<string, boolean>>): void {
  const known = realmMethodsJson(methods)
  for (const name of Object.keys(given)) if (!Object.hasOwn(known, name)) throw unknownMethod({ name })
}

/**
 * Refuses unless the owner could still sign in after a change: with a password, or with a method that has worked for
 * them. `after` are the methods after the change.
 */
export async function requireNoLockOut(db: Db, ownerId: number, after: SignInMethods): Promise<void> {
  const { isPasswordEnabled, isDirectoryEnabled, directories, external } = after
  if (isPasswordEnabled) return
  const address = (await findUser(db, ownerId))?.deliveryEmail.toLowerCase()
  // The proxy finds accounts by their present address.
  const used = (await findProvidersUsedBy(db, ownerId)).filter(
    ({ provider, subject }) => provider !== PROXY.id || subject === address,
  )
  const enabled = [...external.filter(({ isEnabled }) => isEnabled), ...(isDirectoryEnabled ? directories : [])]
  if (!enabled.some((method) => used.some((row) => isOfProvider(row, method)))) throw wouldLockOut()
}

/**
 * Returns the connections that users manage, with the names of their services, and whether people can sign in with these
 * now. Those to directories are left out, because a directory manages its accounts, and those to proxies and programs of
 * the operator, which find accounts by their address.
 */
export function toConnections(
  { directories, external }: SignInMethods,
  connections: readonly Connection[],
): (Connection & { service: string; isOffered: boolean })[] {
  const ofOperator = new Set<string>([PROXY.id, TOKENS.id, ...directories.map(({ id }) => id)])
  return connections
    .filter(({ provider }) => !ofOperator.has(provider))
    .map((connection) => {
      const method = external.find((one) => one.id === connection.provider)
      const isOffered = method?.isEnabled === true && isOfProvider(connection, method)
      return { ...connection, service: method?.displayName ?? connection.provider, isOffered }
    })
}

/** Returns the path that begins a sign-in with the method. */
export const signInPath = (id: string): string =>
  id === PROXY.id ? '/accounts/login/start/sso/' : `/accounts/login/social/${id}`

/** Returns the methods besides passwords as clients know them before the login, in the order of the buttons. */
export function externalMethodsJson({ external }: SignInMethods) {
  return external
    .filter(({ isEnabled }) => isEnabled)
    .map(({ id, displayName, preset, serverName }) => ({
      name: preset === 'saml' ? `saml:${id}` : id === serverName || preset === 'proxy' ? serverName : `oidc:${id}`,
      display_name: displayName,
      display_icon: null,
      login_url: signInPath(id),
      signup_url: id === PROXY.id ? signInPath(id) : `/accounts/register/social/${id}`,
    }))
}
