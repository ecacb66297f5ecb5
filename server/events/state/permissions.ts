import { z } from 'zod'
import { channelSettingDeclarations } from '#channels/channel.ts'
import { groupSettingDeclarations, type RealmGroups } from '#groups/group.ts'
import {
  type GroupSetting,
  realmPermissionNames,
  realmSettingDeclarations,
  type SystemGroupName,
  systemGroupNames,
} from '#realms/realm-settings.ts'
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
function toRules(
  declarations: Readonly<Record<string, { fallback: string; excludes: readonly SystemGroupName[] }>>,
  nameOfCreator: string,
  defaultForSystemGroups: SystemGroupName | null,
): Record<string, RuleJson> {
  return Object.fromEntries(
    Object.entries(declarations).map(([name, { fallback, excludes }]) => [
      name,
      toRuleJson(fallback === 'creator' ? nameOfCreator : fallback, excludes, defaultForSystemGroups),
    ]),
  )
}

const supported = {
  realm: Object.fromEntries(
    realmPermissionNames.map((name) => {
      const { fallback, excludes } = realmSettingDeclarations[name]
      return [name, toRuleJson(fallback, excludes)]
    }),
  ),
  stream: toRules(channelSettingDeclarations, 'stream_creator_or_nobody', null),
  group: toRules(groupSettingDeclarations, 'group_creator', 'role:nobody'),
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

type Policies = Partial<Record<SystemGroupName, number>>

/**
 * The numbers that stand for groups in the permission settings of older clients. Each kind of permission has its own
 * numbers.
 */
const createPolicies: Policies = {
  'role:members': 1,
  'role:administrators': 2,
  'role:owners': 2,
  'role:nobody': 2,
  'role:fullmembers': 3,
  'role:moderators': 4,
}

const createWebPublicPolicies: Policies = {
  'role:administrators': 2,
  'role:moderators': 4,
  'role:nobody': 6,
  'role:owners': 7,
}

const wildcardPolicies: Policies = {
  'role:everyone': 1,
  'role:members': 2,
  'role:fullmembers': 3,
  'role:administrators': 5,
  'role:owners': 5,
  'role:nobody': 6,
  'role:moderators': 7,
}

/** Returns the number of the group in the setting; `widest` for groups without a number. */
function toPolicy(groups: RealmGroups, setting: GroupSetting, policies: Policies, widest: number): number {
  const name = typeof setting === 'number' ? groups.byId.get(setting)?.systemName : setting
  return (typeof name === 'string' ? policies[name] : undefined) ?? widest
}

/** Settings under the names that they had in older versions of the protocol. */
export const legacyPoliciesSlice = stateSlice({
  types: ['realm'],
  returns: {
    realm_allow_edit_history: z.boolean(),
    realm_create_public_stream_policy: z.int(),
    realm_create_private_stream_policy: z.int(),
    realm_create_web_public_stream_policy: z.int(),
    realm_wildcard_mention_policy: z.int(),
  },
  fetch({ actor, membership: { groups } }) {
    const { settings } = actor.realm
    return {
      realm_allow_edit_history: settings.message_edit_history_visibility_policy !== 'none',
      realm_create_public_stream_policy: toPolicy(groups, settings.can_create_public_channel_group, createPolicies, 1),
      realm_create_private_stream_policy: toPolicy(
        groups,
        settings.can_create_private_channel_group,
        createPolicies,
        1,
      ),
      realm_create_web_public_stream_policy: toPolicy(
        groups,
        settings.can_create_web_public_channel_group,
        createWebPublicPolicies,
        4,
      ),
      realm_wildcard_mention_policy: toPolicy(groups, settings.can_mention_many_users_group, wildcardPolicies, 1),
    }
  },
})
