import { z } from 'zod'
import type { RealmGroups } from '#groups/queries.ts'
import type { GroupSetting, SystemGroupName } from '#realms/group-setting.ts'
import { stateSlice } from './slice.ts'

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
