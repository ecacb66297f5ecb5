import { z } from 'zod'
import { invalidChannelId } from '#channels/access.ts'
import { expectationMismatch, groupSettingRefusals } from '#groups/setting-values.ts'
import { endpoint } from '#http/endpoint.ts'
import { logActorEvent } from '#http/security-log.ts'
import { mustBeAdministrator, mustBeOwner } from '#people/users/access.ts'
import { groupSettingUpdate } from '#realms/group-setting.ts'
import { realmName } from '#realms/realm.ts'
import { changeableSettings, type RealmSettingName, realmSettingDeclarations } from '#realms/settings.ts'
import { moderationChannelNotPrivate } from '../channel-settings.ts'
import { deactivateOrganization, type OrganizationUpdate, updateOrganization } from '../update-organization.ts'

function paramOf(name: RealmSettingName): z.ZodType {
  const declaration = realmSettingDeclarations[name]
  if (declaration.kind === 'permission') return groupSettingUpdate.optional()
  const aliases = Object.keys(declaration.aliases)
  return aliases.length === 0 ? declaration.type.optional() : z.union([declaration.type, z.enum(aliases)]).optional()
}

const params: Record<string, z.ZodType> = {
  name: realmName.optional(),
  ...Object.fromEntries(changeableSettings.map((name) => [name, paramOf(name)])),
}

const returns: Record<string, z.ZodType> = Object.fromEntries(
  changeableSettings.flatMap((name) => {
    const declaration = realmSettingDeclarations[name]
    return declaration.kind === 'value' ? [[name, declaration.type.optional()]] : []
  }),
)

export const updateOrganizationEndpoint = endpoint({
  route: 'PATCH /realm',
  summary: 'Change the organization',
  description:
    'Requires an administrator. Only owners can change who can join, who can create and manage groups, and how long ' +
    'messages are kept. Returns the changed settings, except permissions. Settings of features that this server does ' +
    'not have are listed in `ignored_parameters_unsupported`.',
  who: 'user',
  params,
  returns,
  refuses: [
    mustBeAdministrator,
    mustBeOwner,
    invalidChannelId,
    moderationChannelNotPrivate,
    expectationMismatch,
    ...groupSettingRefusals,
  ],
  async handle(call, given) {
    const { transaction, actor } = call
    const changes = given as OrganizationUpdate
    const changed = await transaction((tx) => updateOrganization(tx, actor, changes))
    const settings = [...(changes.name === undefined ? [] : ['name']), ...Object.keys(changed)]
    if (settings.length > 0) logActorEvent(call, 'organization_changed', { targetId: null, settings })
    return Object.fromEntries(Object.entries(changed).filter(([name]) => Object.hasOwn(returns, name)))
  },
})

export const deactivateOrganizationEndpoint = endpoint({
  route: 'POST /realm/deactivate',
  summary: 'Deactivate the organization',
  description: 'Users can no longer log in. Messages are kept.',
  who: 'human',
  refuses: [mustBeOwner],
  async handle(call) {
    const { transaction, actor } = call
    await transaction((tx) => deactivateOrganization(tx, actor))
    logActorEvent(call, 'organization_deactivated', { targetId: null })
    return {}
  },
})
