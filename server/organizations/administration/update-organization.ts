import { z } from 'zod'
import {
  requirePasswordOfSession,
  requireUnchangedPassword,
  sessionPassword,
  sessionPasswordRefusals,
} from '#accounts/password-checks.ts'
import { invalidChannelId } from '#channels/access.ts'
import { expectationMismatch, groupSettingRefusals, requireChangedGroupSetting } from '#groups/access.ts'
import { endpoint } from '#http/endpoint.ts'
import {
  findSignInMethods,
  PASSWORD_METHOD,
  requireKnownMethods,
  requireNoLockOut,
  unknownMethod,
  wouldLockOut,
} from '#identity/providers.ts'
import { callProviderNotAvailable, requireCallProvider } from '#integrations/calls.ts'
import { refusal } from '#lib/errors.ts'
import { mustBeAdministrator, mustBeOwner, requireAdministrator, requireOwner } from '#people/access.ts'
import { hasSecondFactor } from '#people/second-factors.ts'
import type { Actor } from '#people/users.ts'
import { lockRealm } from '#realms/queries.ts'
import { type Realm, realmAddress, realmName } from '#realms/realm.ts'
import {
  changeableSettings,
  type GroupSettingUpdate,
  groupSettingUpdate,
  ownerOnlySettings,
  type RealmPermissionName,
  type RealmSettingName,
  type RealmSettings,
  realmPermissionNames,
  realmSettingDeclarations,
  realmSettingNames,
} from '#realms/realm-settings.ts'
import type { Transaction } from '#storage/storage.ts'
import { moderationChannelNotPrivate, requireChannelSettings } from '../change-realm-settings.ts'
import { deactivateOrganization } from '../deactivation.ts'
import { conversionRefusals, convertDemoOrganization, convertInDirectory } from '../demos.ts'
import { saveOrganizationChanges } from './save-organization-changes.ts'

/** The requested changes by API name. Undefined fields stay unchanged. */
type OrganizationUpdate = { name?: string | undefined; string_id?: string | undefined } & {
  [Name in RealmSettingName]?:
    | (Name extends RealmPermissionName ? GroupSettingUpdate : RealmSettings[Name] | string)
    | undefined
}

/** Changes the organization. If any change is refused, nothing changes. Returns the changed settings. */
async function updateOrganization(
  tx: Transaction,
  actor: Actor,
  update: OrganizationUpdate,
): Promise<Partial<RealmSettings>> {
  requireAdministrator(actor)
  if (realmSettingNames.some((name) => update[name] !== undefined && ownerOnlySettings.has(name))) requireOwner(actor)
  if (update.string_id !== undefined) requireOwner(actor)
  requireCallProvider(tx.db.settings, valuesOf(update).video_chat_provider)
  const realm = await lockRealm(tx, actor.realmId)
  if (update.string_id !== undefined) await convertDemoOrganization(tx, actor, realm, update.string_id)
  const settings = {
    ...valuesOf(update),
    ...(await requirePermissions(tx, realm, update)),
    ...(await requireMethods(tx, actor, realm, valuesOf(update).authentication_methods)),
  }
  await requireChannelSettings(tx.db, realm.id, settings)
  await requireOwnSecondFactor(tx, actor, realm, settings)
  return saveOrganizationChanges(tx, realm, { ...(update.name !== undefined && { name: update.name }), settings })
}

/** Returns the choices of sign-in methods with the changed ones. Refuses changes with which the owner is locked out. */
async function requireMethods(
  tx: Transaction,
  actor: Actor,
  realm: Realm,
  given: Readonly<Record<string, boolean>> | undefined,
): Promise<Partial<RealmSettings>> {
  if (given === undefined) return {}
  requireKnownMethods(await findSignInMethods(tx.db, realm), given)
  const chosen = { ...realm.settings.authentication_methods, ...given }
  const settings = { ...realm.settings, authentication_methods: chosen }
  const after = await findSignInMethods(tx.db, { ...realm, settings })
  if (given[PASSWORD_METHOD] === false && after.isPasswordEnabled) throw wouldLockOut()
  await requireNoLockOut(tx.db, actor.id, after)
  return { authentication_methods: chosen }
}

const noSecondFactor = refusal(
  'BAD_REQUEST',
  400,
  'Set up two-step login for your own account first, under Settings → Security.',
  { field: 'second_factor_required_for' },
)

/** Refuses changes of the requirement of a second factor while the actor has none, so that they cannot lock themselves out. */
async function requireOwnSecondFactor(
  tx: Transaction,
  actor: Actor,
  realm: Realm,
  { second_factor_required_for: who, second_factor_grace_days: days }: Partial<RealmSettings>,
): Promise<void> {
  if (who === undefined && days === undefined) return
  const isRequired = (who ?? realm.settings.second_factor_required_for) !== 'nobody'
  if (isRequired && !(await hasSecondFactor(tx.db, actor.id))) throw noSecondFactor()
}

function valuesOf(update: OrganizationUpdate): Partial<RealmSettings> {
  const values = realmSettingNames.flatMap((name) => {
    const declaration = realmSettingDeclarations[name]
    const value = update[name]
    if (declaration.kind === 'permission' || value === undefined) return []
    const { aliases }: { aliases: Readonly<Record<string, unknown>> } = declaration
    return [[name, typeof value === 'string' && Object.hasOwn(aliases, value) ? aliases[value] : value]]
  })
  return Object.fromEntries(values)
}

async function requirePermissions(
  tx: Transaction,
  realm: Realm,
  update: OrganizationUpdate,
): Promise<Partial<RealmSettings>> {
  const settings: Partial<RealmSettings> = {}
  for (const name of realmPermissionNames) {
    const change = update[name]
    if (change === undefined) continue
    const rule = { setting: name, excludes: realmSettingDeclarations[name].excludes }
    settings[name] = await requireChangedGroupSetting(tx.db, { realmId: realm.id }, realm.settings[name], change, rule)
  }
  return settings
}

function paramOf(name: RealmSettingName): z.ZodType {
  const declaration = realmSettingDeclarations[name]
  if (declaration.kind === 'permission') return groupSettingUpdate.optional()
  const aliases = Object.keys(declaration.aliases)
  return aliases.length === 0 ? declaration.type.optional() : z.union([declaration.type, z.enum(aliases)]).optional()
}

const params: Record<string, z.ZodType> = {
  name: realmName.optional(),
  string_id: z
    .string()
    .max(40)
    .optional()
    .describe('A subdomain with which an owner makes a demo organization permanent.'),
  ...Object.fromEntries(changeableSettings.map((name) => [name, paramOf(name)])),
}

const returns: Record<string, z.ZodType> = {
  realm_uri: z.string().optional().describe('The new address of a demo organization that becomes permanent.'),
  ...Object.fromEntries(
    changeableSettings.flatMap((name) => {
      const declaration = realmSettingDeclarations[name]
      return declaration.kind === 'value' ? [[name, declaration.type.optional()]] : []
    }),
  ),
}

export const updateOrganizationEndpoint = endpoint({
  route: 'PATCH /realm',
  summary: 'Change the organization',
  description:
    'Requires an administrator. Only owners can change who can join and how people sign in, who must have a second factor, who can create and ' +
    'manage groups, and how long messages are kept. While a second factor is required, the owner who changes that needs one. Returns the changed settings, except permissions. Settings of features that this server does ' +
    'not have are listed in `ignored_parameters_unsupported`.',
  who: 'user',
  params,
  returns,
  refuses: [
    mustBeAdministrator,
    mustBeOwner,
    invalidChannelId,
    moderationChannelNotPrivate,
    callProviderNotAvailable,
    unknownMethod,
    wouldLockOut,
    noSecondFactor,
    expectationMismatch,
    ...conversionRefusals,
    ...groupSettingRefusals,
  ],
  async handle(call, given) {
    const { transaction, actor } = call
    const changes = given as OrganizationUpdate
    const { string_id: subdomain } = changes
    const change = () => transaction((tx) => updateOrganization(tx, actor, changes))
    const changed = await convertInDirectory(call, subdomain, change)
    return {
      ...Object.fromEntries(Object.entries(changed).filter(([name]) => Object.hasOwn(returns, name))),
      ...(subdomain !== undefined && { realm_uri: realmAddress(subdomain, call.settings.EXTERNAL_URL).url }),
    }
  },
})

const dataIsKept = refusal('BAD_REQUEST', 400, 'This server keeps the data of deactivated organizations.', {
  field: 'deletion_delay_days',
})

export const deactivateOrganizationEndpoint = endpoint({
  route: 'POST /realm/deactivate',
  summary: 'Deactivate the organization',
  description:
    'Requires an owner. Everyone is signed out, and nobody, bots included, can use the organization. All data is kept. The owners ' +
    'get an email with a link that reactivates the organization.',
  who: 'human',
  params: {
    deletion_delay_days: z
      .int()
      .nullish()
      .describe('Only null, which keeps the data: this server does not delete organizations.'),
    password: sessionPassword,
  },
  refuses: [mustBeOwner, dataIsKept, ...sessionPasswordRefusals],
  async handle(call, { deletion_delay_days, password }) {
    const { transaction, actor } = call
    requireOwner(actor)
    if (typeof deletion_delay_days === 'number') throw dataIsKept()
    const verified = await requirePasswordOfSession(call, password)
    await transaction(async (tx) => {
      await requireUnchangedPassword(tx, actor.id, verified)
      await deactivateOrganization(tx, await lockRealm(tx, actor.realmId), actor.id)
    })
    return {}
  },
})
