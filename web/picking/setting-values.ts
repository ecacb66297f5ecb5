import type { SystemGroupName } from '#realms/realm-settings.ts'
import type { GroupSetting } from '../store/membership.ts'
import type { Organization } from '../store/organization.ts'
import { findPerson } from '../store/organization.ts'
import { t } from '../text/t.ts'
import type { Option } from '../ui/select-field.tsx'
import { groupName, SYSTEM_GROUPS } from './group.ts'
import { type PickerChoice, pickedIds } from './picker-choices.ts'

type Lists = Pick<Organization, 'realm_users' | 'realm_user_groups'>
type Rule = Organization['server_supported_permission_settings']['stream'][string]

/** The option for specific users and groups. */
export const CHOSEN = 'chosen'

export type SettingValue = `group:${number}` | typeof CHOSEN

const compare = new Intl.Collator(undefined, { sensitivity: 'base', numeric: true }).compare

/** Returns the names of the role-based groups that a setting can have, largest first. */
function systemGroupsOf(rule: Rule): string[] {
  return Object.keys(SYSTEM_GROUPS).filter((name) => {
    if (name === 'role:internet') return rule.allow_internet_group
    if (name === 'role:everyone') return rule.allow_everyone_group
    if (name === 'role:nobody') return rule.allow_nobody_group
    return rule.allowed_system_groups.length === 0 || rule.allowed_system_groups.includes(name)
  })
}

/** Returns the options of a permission setting: role-based groups, custom groups, and specific users. */
export function settingOptions({ realm_user_groups }: Lists, rule: Rule): Option<SettingValue>[] {
  const toOption = (group: Lists['realm_user_groups'][number]): Option<SettingValue> => ({
    id: `group:${group.id}`,
    label: groupName(group),
    ...(!group.is_system_group && { hint: t('Group') }),
  })
  const bySystemName = new Map(realm_user_groups.flatMap((one) => (one.is_system_group ? [[one.name, one]] : [])))
  const named = realm_user_groups.filter(({ is_system_group }) => !is_system_group)
  return [
    ...systemGroupsOf(rule)
      .flatMap((name) => bySystemName.get(name as SystemGroupName) ?? [])
      .map(toOption),
    ...named.map(toOption).sort((one, other) => compare(one.label, other.label)),
    { id: CHOSEN, label: t('Specific people and groups') },
  ]
}

export const toSettingValue = (setting: GroupSetting): SettingValue =>
  typeof setting === 'number' ? `group:${setting}` : CHOSEN

/** Returns the picks for the value of a setting. */
export function toPicks(
  { realm_user_groups }: Pick<Lists, 'realm_user_groups'>,
  setting: GroupSetting,
): PickerChoice[] {
  if (typeof setting === 'number') return setting === nobodyId(realm_user_groups) ? [] : [`group:${setting}`]
  return [
    ...setting.direct_members.map((id) => `person:${id}` as const),
    ...setting.direct_subgroups.map((id) => `group:${id}` as const),
  ]
}

/** Returns the value of a setting for the picks, in the form in which the server stores it. */
export function toGroupSetting(
  { realm_user_groups }: Pick<Lists, 'realm_user_groups'>,
  choices: readonly PickerChoice[],
): GroupSetting {
  const direct_members = ascending(pickedIds(choices, 'person'))
  const direct_subgroups = ascending(pickedIds(choices, 'group'))
  const [first = nobodyId(realm_user_groups)] = direct_subgroups
  if (direct_members.length > 0 || direct_subgroups.length > 1 || first === undefined)
    return { direct_members, direct_subgroups }
  return first
}

const ascending = (ids: readonly number[]) => [...new Set(ids)].sort((one, other) => one - other)

const nobodyId = (groups: Lists['realm_user_groups']): number | undefined =>
  groups.find(({ is_system_group, name }) => is_system_group && name === 'role:nobody')?.id

/** Returns the value of a setting as text. */
export function describeSetting({ realm_users, realm_user_groups }: Lists, setting: GroupSetting): string {
  const nameOfGroup = (id: number) => {
    const group = realm_user_groups.find((one) => one.id === id)
    return group === undefined ? [] : [groupName(group)]
  }
  if (typeof setting === 'number') return nameOfGroup(setting)[0] ?? t('Deleted group')
  const people = setting.direct_members.flatMap(
    (id) => findPerson({ realm_users, realm_non_active_users: [], cross_realm_bots: [] }, id)?.full_name ?? [],
  )
  const all = [...people, ...setting.direct_subgroups.flatMap(nameOfGroup)]
  return all.length === 0 ? t('Nobody') : all.join(', ')
}
