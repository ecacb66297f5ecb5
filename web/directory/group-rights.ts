import type { GroupSettingName } from '#groups/group.ts'
import { type GroupAction, mayChangeGroup } from '#rules/permissions.ts'
import { ApiError } from '../api/api-error.ts'
import { listedChannels } from '../channels/listing.ts'
import { REALM_PERMISSIONS as OF_ORGANIZATION } from '../settings/organization-settings.ts'
import { isInSetting, membersOf, ruleScope, ruleUser } from '../store/membership.ts'
import type { Group, Organization } from '../store/organization.ts'
import { t } from '../text/t.ts'

/** The parts of the organization that determine group permissions. */
export type GroupRules = Pick<
  Organization,
  'user_id' | 'is_guest' | 'realm_user_groups' | 'realm_can_create_groups' | 'realm_can_manage_all_groups'
>

export const mayCreateGroups = (scope: GroupRules): boolean =>
  !scope.is_guest && isInSetting(scope.realm_user_groups, scope.user_id, scope.realm_can_create_groups)

const may = (scope: GroupRules, group: Group, act: GroupAction): boolean =>
  mayChangeGroup(
    ruleScope(scope),
    ruleUser(scope),
    { isSystem: group.is_system_group, settings: group },
    act,
    scope.realm_can_manage_all_groups,
  )

/** Returns true if the user may administer the group. No one may change role-based groups. */
export const mayManage = (scope: GroupRules, group: Group): boolean => may(scope, group, 'manage')

export const mayAddTo = (scope: GroupRules, group: Group): boolean => may(scope, group, 'addMembers')

export const mayRemoveFrom = (scope: GroupRules, group: Group): boolean => may(scope, group, 'removeMembers')

export const mayJoinGroup = (scope: GroupRules, group: Group): boolean => may(scope, group, 'join')

/** Returns true if the user may leave the group. The setting may include guests. */
export const mayLeaveGroup = (scope: GroupRules, group: Group): boolean => may(scope, group, 'leave')

/**
 * Returns the ids of groups that can't become subgroups: the group itself, its subgroups, and the groups that contain
 * it.
 */
export function excludedSubgroups(groups: readonly Group[], group: Group): ReadonlySet<number> {
  const around = new Set([group.id])
  // The loop also reaches elements that are added to the set while it runs.
  for (const id of around) for (const other of groups) if (other.direct_subgroup_ids.includes(id)) around.add(other.id)
  return around.union(new Set(group.direct_subgroup_ids))
}

/** Returns the number of members, including the members of subgroups. */
export const sizeOf = (groups: Organization['realm_user_groups'], group: Group): number =>
  membersOf(groups, [group.id]).size

/** The labels of group permissions, in the order in which they are shown. */
export const GROUP_PERMISSIONS: Readonly<Record<GroupSettingName, { label: string; hint?: string }>> = {
  can_mention_group: { label: t('Who can mention the group?') },
  can_join_group: { label: t('Who can join the group?') },
  can_leave_group: { label: t('Who can leave the group?') },
  can_add_members_group: {
    label: t('Who can add members?'),
    hint: t('People who can administer the group always can, too.'),
  },
  can_remove_members_group: {
    label: t('Who can remove members?'),
    hint: t('People who can administer the group always can, too.'),
  },
  can_manage_group: {
    label: t('Who can administer the group?'),
    hint: t('They can change its settings and members. People who can administer all groups always can, too.'),
  },
}

type Objection = {
  type: string
  settings?: readonly string[]
  supergroup_ids?: readonly number[]
  channel_id?: number
  group_id?: number
}

/** Returns one line for each use of the group that keeps the server from deactivating it; none for other errors. */
export function settingsUsingGroup(organization: Organization, error: unknown): string[] {
  if (!(error instanceof ApiError) || error.code !== 'CANNOT_DEACTIVATE_GROUP_IN_USE') return []
  return (error.extras['objections'] as readonly Objection[]).flatMap((objection) => toLines(organization, objection))
}

function toLines(organization: Organization, objection: Objection): string[] {
  const nameOf = (id?: number) =>
    organization.realm_user_groups.find((group) => group.id === id)?.name ?? t('another group')
  switch (objection.type) {
    case 'subgroup':
      return (objection.supergroup_ids ?? []).map((id) => t('It’s a subgroup of {group}.', { group: nameOf(id) }))
    case 'user_group':
      return [t('It’s used in the permissions of {group}.', { group: nameOf(objection.group_id) })]
    case 'channel': {
      const known = listedChannels(organization).find(({ channel }) => channel.stream_id === objection.channel_id)
      return [
        known === undefined
          ? t('It’s used in the permissions of a channel you can’t see.')
          : t('It’s used in the permissions of #{channel}.', { channel: known.channel.name }),
      ]
    }
    default:
      return (objection.settings ?? []).map((name) => {
        const text = (OF_ORGANIZATION as Readonly<Record<string, { label: string } | null>>)[name]
        return t('It’s used in this organization setting: {label}', { label: text?.label ?? name })
      })
  }
}

/** A permission that a group has. */
type GroupUse = { label: string; to: string; search?: { setting: string } | { group: number } }

/** Returns the permissions that name the group, in the organization, in channels and in other groups. */
export function usesOfGroup(organization: Organization, groupId: number): GroupUse[] {
  const isNamed = (value: unknown) =>
    value === groupId ||
    (typeof value === 'object' &&
      value !== null &&
      (value as { direct_subgroups?: readonly number[] }).direct_subgroups?.includes(groupId) === true)
  const values = organization as unknown as Readonly<Record<string, unknown>>
  const ofOrganization = Object.entries(OF_ORGANIZATION).flatMap(([name, text]): GroupUse[] =>
    text !== null && isNamed(values[`realm_${name}`])
      ? [{ label: text.label, to: '/organization/permissions', search: { setting: name } }]
      : [],
  )
  const ofChannels = listedChannels(organization)
    .filter(({ channel }) => Object.entries(channel).some(([name, value]) => name.endsWith('_group') && isNamed(value)))
    .map(({ channel }) => ({
      label: t('Permissions of #{channel}', { channel: channel.name }),
      to: `/channels/${channel.stream_id}/settings/permissions`,
    }))
  const ofGroups = organization.realm_user_groups
    .filter((group) => !group.deactivated && group.id !== groupId)
    .filter((group) => Object.keys(GROUP_PERMISSIONS).some((name) => isNamed(group[name as GroupSettingName])))
    .map(({ id, name }) => ({
      label: t('Permissions of the group {group}', { group: name }),
      to: '/organization/groups',
      search: { group: id },
    }))
  return [...ofOrganization, ...ofChannels, ...ofGroups]
}
