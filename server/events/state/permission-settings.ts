import { z } from 'zod'
import { channelSettingDefaults, channelSettingExclusions } from '#channels/channel.ts'
import { groupSettingDefaults, groupSettingExclusions } from '#groups/group.ts'
import { type SystemGroupName, systemGroupNames } from '#realms/group-setting.ts'
import { realmPermissionNames, realmSettingDeclarations } from '#realms/settings.ts'
import { stateSlice } from './slice.ts'

const ruleJson = z.strictObject({
  require_system_group: z.boolean(),
  allow_internet_group: z.boolean(),
  allow_nobody_group: z.boolean(),
  allow_everyone_group: z.boolean(),
  default_group_name: z.string(),
  default_for_system_groups: z.string().nullable(),
  allowed_system_groups: z.array(z.string()).describe('Empty if all groups that the other fields allow are permitted.'),
})

type RuleJson = z.infer<typeof ruleJson>

const rules = z.record(z.string(), ruleJson).describe('By the name of the setting.')

/** The groups that a rule allows or forbids with a field of their own. */
const apart: ReadonlySet<SystemGroupName> = new Set(['role:internet', 'role:nobody', 'role:everyone'])

function toRuleJson(
  fallback: string,
  excludes: readonly SystemGroupName[],
  defaultForSystemGroups: SystemGroupName | null = null,
): RuleJson {
  const excludesMore = excludes.some((name) => !apart.has(name))
  return {
    require_system_group: false,
    allow_internet_group: !excludes.includes('role:internet'),
    allow_nobody_group: !excludes.includes('role:nobody'),
    allow_everyone_group: !excludes.includes('role:everyone'),
    default_group_name: fallback,
    default_for_system_groups: defaultForSystemGroups,
    allowed_system_groups: excludesMore ? systemGroupNames.filter((name) => !excludes.includes(name)) : [],
  }
}

/** Returns the rule of each setting. The default `creator` stands for the user who created the channel or the group. */
function toRules<Name extends string>(
  defaults: Record<Name, string>,
  exclusions: Record<Name, readonly SystemGroupName[]>,
  nameOfCreator: string,
  defaultForSystemGroups: SystemGroupName | null,
): Record<string, RuleJson> {
  const names = Object.keys(defaults) as Name[]
  const fallbackOf = (name: Name) => (defaults[name] === 'creator' ? nameOfCreator : defaults[name])
  return Object.fromEntries(
    names.map((name) => [name, toRuleJson(fallbackOf(name), exclusions[name], defaultForSystemGroups)]),
  )
}

const supported = {
  realm: Object.fromEntries(
    realmPermissionNames.map((name) => {
      const { fallback, excludes } = realmSettingDeclarations[name]
      return [name, toRuleJson(fallback, excludes)]
    }),
  ),
  stream: toRules(channelSettingDefaults, channelSettingExclusions, 'stream_creator_or_nobody', null),
  group: toRules(groupSettingDefaults, groupSettingExclusions, 'group_creator', 'role:nobody'),
}

export const permissionSettingsSlice = stateSlice({
  types: ['realm'],
  returns: {
    server_supported_permission_settings: z
      .strictObject({ realm: rules, stream: rules, group: rules })
      .describe('Which groups the permissions of organizations, channels and groups can be given to.'),
  },
  fetch: () => ({ server_supported_permission_settings: supported }),
})
