import { z } from 'zod'
import { type Call, endpoint } from '#http/endpoint.ts'
import {
  countUsersByProvider,
  deleteIdentitiesOf,
  findProvidersUsedBy,
  isOfProvider,
} from '#identity/external-identities.ts'
import { checkProvider } from '#identity/openid.ts'
import {
  type AnyProvider,
  DIRECTORY_METHOD,
  deleteOwnProvider,
  findAllProviders,
  findProviders,
  findSignInMethods,
  ownProviderNumber,
  type Provider,
  requireNoLockOut,
  type SignInMethods,
  saveOwnProvider,
  wouldLockOut,
} from '#identity/providers.ts'
import { refusal } from '#lib/errors.ts'
import { ownerProviderSettings, type ProviderSettings, signInPresetNames, signInPresets } from '#lib/sign-in-file.ts'
import { mustBeOwner, requireOwner } from '#people/access.ts'
import { recordAudit } from '#people/audit.ts'
import type { Actor } from '#people/users.ts'
import { lockRealm } from '#realms/queries.ts'
import { realmAddress } from '#realms/realm.ts'
import type { Transaction } from '#storage/storage.ts'
import { emitSignInMethods, keepPasswords } from './save-organization-changes.ts'

// The providers that owners add, so that people sign in with an account of another service. The client secret is
// stored encrypted and never returned.

/** The maximum number of providers that the owners of an organization can add. */
const MAX_PROVIDERS = 20

const noSuchProvider = refusal('BAD_REQUEST', 400, 'No such sign-in provider')
const invalidProvider = refusal('BAD_REQUEST', 400, 'Invalid sign-in provider: {problem}', { field: 'provider' })
const ownProvidersForbidden = refusal(
  'BAD_REQUEST',
  400,
  'The operator of this server does not allow organizations to add sign-in providers.',
)
const tooManyProviders = refusal('BAD_REQUEST', 400, `An organization can have at most ${MAX_PROVIDERS} providers.`)

const providerRefusals = [mustBeOwner, noSuchProvider, invalidProvider, ownProvidersForbidden]

const providerJson = z.object({
  id: z.string().describe('Part of addresses. Those of providers that owners have added begin with `own-`.'),
  settings: z
    .record(z.string(), z.unknown())
    .describe('`preset`, `name`, `issuer`, `client_id`, `scopes`, … as in docs/sign-in.md, without the secret.'),
  name: z.string(),
  method: z.string().describe('The name in `authentication_methods`.'),
  is_enabled: z.boolean(),
  is_own: z.boolean().describe('False for providers of the operator, which owners cannot change.'),
  has_worked: z.boolean().describe('Whether you have signed in with it.'),
  user_count: z.int().describe('The number of active accounts that have signed in with it.'),
  redirect_url: z.string().describe('The address to register at the provider; empty for a proxy and for directories.'),
  logout_url: z.string().describe('The address for OpenID Connect Back-Channel Logout; empty for SAML.'),
  metadata_url: z.string().describe('The address of the SAML metadata of the organization; empty for other protocols.'),
})

const presetJson = z.object({
  preset: z.string(),
  name: z.string(),
  issuer: z.string().nullable().describe('Null if each installation of the service has its own.'),
})

/** Refuses what an owner entered with a problem that names the field. */
function requireSettings(given: unknown): ProviderSettings {
  const parsed = ownerProviderSettings.safeParse(given)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw invalidProvider({ problem: `${issue?.path.join('.') || 'provider'}: ${issue?.message ?? 'invalid'}` })
}

function requireMayAdd({ settings }: Pick<Call, 'settings'>): void {
  if (!settings.SIGN_IN_FILE.ownersMayAddProviders) throw ownProvidersForbidden()
}

async function requireProvider({ db, actor }: Call, id: string): Promise<Provider> {
  requireOwner(actor)
  const provider = (await findProviders(db, actor.realm)).find((one) => one.id === id)
  if (provider === undefined) throw noSuchProvider()
  return provider
}

/** Returns the number of a provider that owners may change. */
function requireOwn({ id, isOwners }: Provider): number {
  const number = isOwners ? ownProviderNumber(id) : null
  if (number === null) throw noSuchProvider()
  return number
}

export const listSignInProviders = endpoint({
  route: 'GET /realm/sign_in_providers',
  summary: 'List the services with which people sign in',
  description: 'Requires an owner. Only this server has this endpoint.',
  who: 'human',
  returns: {
    providers: z.array(providerJson),
    presets: z.array(presetJson),
    may_add: z.boolean(),
    is_password_enabled: z.boolean(),
  },
  refuses: [mustBeOwner],
  async handle({ db, actor, settings }) {
    requireOwner(actor)
    const { realm } = actor
    const methods = await findSignInMethods(db, realm)
    const used = await findProvidersUsedBy(db, actor.id)
    const counts = await countUsersByProvider(db, realm.id)
    const { url } = realmAddress(realm.subdomain, settings.EXTERNAL_URL)
    return {
      providers: [
        ...methods.external
          .filter(({ preset }) => preset === 'proxy')
          .map((proxy) => toOperatorsJson(proxy, { used, counts })),
        ...methods.directories.map((directory) =>
          toOperatorsJson(
            { ...directory, realmName: DIRECTORY_METHOD, isEnabled: methods.isDirectoryEnabled },
            { used, counts },
          ),
        ),
        ...(await findAllProviders(db, realm)).map((provider) => toJson(provider, methods, { used, counts, url })),
      ],
      presets: signInPresetNames.map((preset) => {
        const { name, issuer } = signInPresets[preset]
        return { preset, name, issuer }
      }),
      may_add: settings.SIGN_IN_FILE.ownersMayAddProviders,
      is_password_enabled: methods.isPasswordEnabled,
    }
  },
})

type ProviderUse = {
  used: Awaited<ReturnType<typeof findProvidersUsedBy>>
  counts: Awaited<ReturnType<typeof countUsersByProvider>>
}

/** Returns the proxy or a directory of the operator as a provider that has no addresses to register. */
function toOperatorsJson(
  method: Pick<SignInMethods['external'][number], 'id' | 'issuer' | 'displayName' | 'realmName' | 'isEnabled'> & {
    preset: string
  },
  { used, counts }: ProviderUse,
): z.input<typeof providerJson> {
  return {
    ...{ id: method.id, name: method.displayName, settings: { preset: method.preset } },
    ...{ method: method.realmName, is_enabled: method.isEnabled, is_own: false },
    has_worked: used.some((row) => isOfProvider(row, method)),
    user_count: counts.find((row) => isOfProvider(row, method))?.count ?? 0,
    ...{ redirect_url: '', logout_url: '', metadata_url: '' },
  }
}

function toJson(
  provider: AnyProvider,
  { external }: SignInMethods,
  { used, counts, url }: ProviderUse & { url: string },
): z.input<typeof providerJson> {
  const { id, displayName, preset, issuer } = provider
  const method = external.find((one) => one.id === id)
  return {
    id,
    settings: provider.isOwners ? ownSettings(provider) : { preset, issuer },
    name: displayName,
    method: method?.realmName ?? '',
    is_enabled: method?.isEnabled ?? false,
    is_own: provider.isOwners,
    has_worked: used.some((row) => isOfProvider(row, provider)),
    user_count: counts.find((row) => isOfProvider(row, provider))?.count ?? 0,
    redirect_url: `${url}/complete/${preset === 'saml' ? preset : id}/`,
    logout_url: preset === 'saml' ? '' : `${url}/accounts/logout/social/${id}/`,
    metadata_url: preset === 'saml' ? `${url}/saml/metadata.xml` : '',
  }
}

function ownSettings({ id: _, displayName: __, isOwners: ___, clientSecret: ____, ...settings }: Provider) {
  return settings
}

const providerParam = z
  .record(z.string(), z.unknown())
  .describe('`preset`, `name`, `issuer`, `client_id`, … as in SIGN_IN_FILE (docs/sign-in.md), without a secret.')

export const addSignInProvider = endpoint({
  route: 'POST /realm/sign_in_providers',
  summary: 'Add a service with which people sign in',
  description: 'Requires an owner. Only this server has this endpoint.',
  who: 'human',
  params: { provider: providerParam, client_secret: z.string().min(1).max(10_000) },
  returns: { id: z.string() },
  refuses: [...providerRefusals, tooManyProviders],
  async handle(call, { provider, client_secret: clientSecret }) {
    const { actor, transaction } = call
    requireOwner(actor)
    requireMayAdd(call)
    const settings = requireSettings(provider)
    const id = await transaction(async (tx) => {
      const realm = await lockRealm(tx, actor.realmId)
      const own = (await findProviders(tx.db, realm)).filter(({ isOwners }) => isOwners)
      if (own.length >= MAX_PROVIDERS) throw tooManyProviders()
      const kept = await keepPasswords(tx, realm)
      const saved = await saveOwnProvider(tx, call, realm.id, { settings, clientSecret })
      await recordChange(tx, realm.id, null, { id: saved, ...settings })
      await emitSignInMethods(tx, kept)
      return saved
    })
    return { id }
  },
})

export const changeSignInProvider = endpoint({
  route: 'PATCH /realm/sign_in_providers/{provider_id}',
  summary: 'Change a service with which people sign in',
  description:
    'Requires an owner. Only this server has this endpoint. With another issuer, nobody keeps their connection, because ids of people are those of the issuer.',
  who: 'human',
  path: { provider_id: z.string() },
  params: { provider: providerParam, client_secret: z.string().max(10_000).default('').describe('Empty: unchanged.') },
  refuses: [...providerRefusals, wouldLockOut],
  async handle(call, { provider_id: id, provider, client_secret: clientSecret }) {
    const { actor, transaction } = call
    const known = await requireProvider(call, id)
    const number = requireOwn(known)
    const settings = requireSettings(provider)
    const issuer = settings.issuer ?? signInPresets[settings.preset].issuer
    await transaction(async (tx) => {
      const realm = await lockRealm(tx, actor.realmId)
      await saveOwnProvider(tx, call, realm.id, { id: number, settings, clientSecret: clientSecret || null })
      await recordChange(tx, realm.id, { id, issuer: known.issuer }, { id, ...settings })
      if (issuer !== known.issuer || settings.preset !== known.preset) await disconnect(tx, actor, id)
      await requireNoLockOut(tx.db, actor.id, await findSignInMethods(tx.db, realm))
      await emitSignInMethods(tx, await keepPasswords(tx, realm))
    })
    return {}
  },
})

type Json = z.infer<ReturnType<typeof z.json>>

/** Records a change in the audit log; settings contain no secret. */
const recordChange = (tx: Transaction, realmId: number, from: object | null, to: object | null) =>
  recordAudit(tx, realmId, 'organization_changed', { setting: 'sign_in_providers', from: from as Json, to: to as Json })

const disconnect = (tx: Transaction, actor: Actor, id: string) => deleteIdentitiesOf(tx, actor.realmId, id)

export const deleteSignInProvider = endpoint({
  route: 'DELETE /realm/sign_in_providers/{provider_id}',
  summary: 'Remove a service with which people sign in',
  description: 'Requires an owner. Accounts stay; people sign in in another way. Only this server has this endpoint.',
  who: 'human',
  path: { provider_id: z.string() },
  refuses: [mustBeOwner, noSuchProvider, wouldLockOut],
  async handle(call, { provider_id: id }) {
    const { actor, transaction } = call
    const known = await requireProvider(call, id)
    const number = requireOwn(known)
    await transaction(async (tx) => {
      const realm = await lockRealm(tx, actor.realmId)
      await deleteOwnProvider(tx, realm.id, number)
      await recordChange(tx, realm.id, { id, issuer: known.issuer }, null)
      await disconnect(tx, actor, id)
      await requireNoLockOut(tx.db, actor.id, await findSignInMethods(tx.db, realm))
      await emitSignInMethods(tx, await keepPasswords(tx, realm))
    })
    return {}
  },
})

/** Units of work of a test, which sends requests to another server. */
const TEST_COST = 30

export const testSignInProvider = endpoint({
  route: 'POST /realm/sign_in_providers/{provider_id}/test',
  summary: 'Check a service with which people sign in',
  description:
    'Requires an owner. Fetches the discovery document and the keys. A sign-in at `/accounts/login/social/{provider_id}?test` shows what the service sends about you. Only this server has this endpoint.',
  who: 'human',
  path: { provider_id: z.string() },
  returns: {
    checks: z.array(
      z.object({
        check: z.enum(['discovery', 'endpoints', 'keys', 'pkce']),
        is_fine: z.boolean(),
        detail: z.string().describe('The issuer, the number of keys, the methods, or the kind of the problem.'),
      }),
    ),
  },
  refuses: [mustBeOwner, noSuchProvider],
  async handle(call, { provider_id: id }) {
    const provider = await requireProvider(call, id)
    call.charge(TEST_COST)
    const lines = await checkProvider(call, provider)
    return { checks: lines.map(({ check, isFine, detail }) => ({ check, is_fine: isFine, detail })) }
  },
})
