import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { insufficientPermission } from '#people/access.ts'
import { dailyLimitReached } from '#people/creation-limits.ts'
import { groupSettingUpdate, groupSettingValue } from '#realms/realm-settings.ts'
import { expectationMismatch, groupSettingRefusals, invalidUserGroup, userGroupDeactivated } from './access.ts'
import { createGroup } from './create-group.ts'
import {
  type GroupSettingName,
  groupDescriptionTooLong,
  groupJson,
  groupNameRefusals,
  groupSettingNames,
} from './group.ts'
import { listGroups } from './members.ts'
import { deactivateGroup, groupInUse, noNewGroupData, updateGroup } from './update-group.ts'

// The endpoints of user groups, except those that change members: adding a member to a group may also subscribe them
// to channels, which is a workflow.

/** Returns one parameter of this type for each group setting. */
const forEachSetting = <Type extends z.ZodType>(type: Type) =>
  Object.fromEntries(groupSettingNames.map((name) => [name, type])) as Record<GroupSettingName, Type>

const settingValues = forEachSetting(groupSettingValue.optional())
const settingUpdates = forEachSetting(groupSettingUpdate.optional())

const changeRefusals = [
  invalidUserGroup,
  userGroupDeactivated,
  insufficientPermission,
  groupDescriptionTooLong,
  groupInUse,
  expectationMismatch,
  ...groupNameRefusals,
  ...groupSettingRefusals,
]

export const createGroupEndpoint = endpoint({
  route: 'POST /user_groups/create',
  summary: 'Create a user group',
  who: 'member',
  params: {
    name: z.string().describe('At most 100 characters. Must be unique among active groups, ignoring case.'),
    description: z.string(),
    members: z.array(z.int()).describe('Ids of users.'),
    subgroups: z.array(z.int()).default([]).describe('Ids of groups whose members are also members of this group.'),
    ...settingValues,
  },
  returns: { group_id: z.int() },
  refuses: [
    ...groupNameRefusals,
    groupDescriptionTooLong,
    insufficientPermission,
    dailyLimitReached,
    ...groupSettingRefusals,
  ],
  async handle({ transaction, actor }, { name, description, members, subgroups, ...settings }) {
    const plan = { name, description, memberIds: members, subgroupIds: subgroups, settings }
    return { group_id: await transaction((tx) => createGroup(tx, actor, plan)) }
  },
})

export const listGroupsEndpoint = endpoint({
  route: 'GET /user_groups',
  summary: 'List user groups',
  who: 'user',
  params: { include_deactivated_groups: z.boolean().default(false) },
  returns: { user_groups: z.array(groupJson) },
  async handle({ db, actor, clock }, { include_deactivated_groups }) {
    const includesDeactivated = include_deactivated_groups
    return { user_groups: await listGroups(db, actor, clock.now(), { includesDeactivated }) }
  },
})

export const updateGroupEndpoint = endpoint({
  route: 'PATCH /user_groups/{user_group_id}',
  summary: 'Change a user group',
  description: 'A setting is refused if `old` is given and is not its current value.',
  who: 'member',
  params: {
    name: z.string().optional(),
    description: z.string().optional(),
    deactivated: z.boolean().optional().describe('False reactivates the group.'),
    ...settingUpdates,
  },
  refuses: [noNewGroupData, ...changeRefusals],
  async handle({ transaction, actor }, { user_group_id, name, description, deactivated, ...settings }) {
    await transaction((tx) => updateGroup(tx, actor, user_group_id, { name, description, deactivated, settings }))
    return {}
  },
})

export const deactivateGroupEndpoint = endpoint({
  route: 'POST /user_groups/{user_group_id}/deactivate',
  summary: 'Deactivate a user group',
  description:
    'Refused if another group contains the group, or if a setting of the organization, a channel or a group names it. ' +
    '`objections` lists these uses.',
  who: 'member',
  refuses: changeRefusals,
  async handle({ transaction, actor }, { user_group_id }) {
    await transaction((tx) => deactivateGroup(tx, actor, user_group_id))
    return {}
  },
})
