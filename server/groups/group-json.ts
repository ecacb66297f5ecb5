import { z } from 'zod'
import { groupSettingValue } from '#realms/group-setting.ts'
import { type Group, type GroupSettingName, groupSettingNames } from './group.ts'
import { toGroupSettingJson } from './membership.ts'
import type { RealmGroups } from './queries.ts'

const settingsJson = Object.fromEntries(groupSettingNames.map((name) => [name, groupSettingValue])) as Record<
  GroupSettingName,
  typeof groupSettingValue
>

export const groupJson = z.object({
  id: z.int(),
  name: z.string(),
  description: z.string(),
  date_created: z.int().nullable().describe('Null for system groups.'),
  creator_id: z.int().nullable().describe('Null for system groups.'),
  members: z.array(z.int()).describe('Active direct members.'),
  direct_subgroup_ids: z.array(z.int()),
  is_system_group: z.boolean().describe('Whether membership is determined by role.'),
  deactivated: z.boolean(),
  ...settingsJson,
})

export type GroupJson = z.infer<typeof groupJson>

export function toGroupJson(groups: RealmGroups, group: Group, directMemberIds: readonly number[]): GroupJson {
  const settings = groupSettingNames.map((name) => [name, toGroupSettingJson(groups, group.settings[name])])
  return {
    id: group.id,
    name: group.name,
    description: group.description,
    date_created: group.systemName === null ? Math.floor(group.createdAt) : null,
    creator_id: group.creatorId,
    members: [...directMemberIds],
    direct_subgroup_ids: [...group.subgroupIds],
    is_system_group: group.systemName !== null,
    deactivated: group.deactivatedAt !== null,
    ...(Object.fromEntries(settings) as Pick<GroupJson, GroupSettingName>),
  }
}
