import type { SystemGroupName } from '../../../server/organizations/realms/group-setting.ts'
import type { Group } from '../../store/organization.ts'

/** What the groups are called whose members follow from their roles. */
export const SYSTEM_GROUPS: Readonly<Record<SystemGroupName, string>> = {
  'role:everyone': 'Everybody, guests too',
  'role:members': 'All members, but no guests',
  'role:fullmembers': 'Members who are no newcomers',
  'role:moderators': 'Moderators and administrators',
  'role:administrators': 'Administrators',
  'role:owners': 'Owners',
  'role:nobody': 'Nobody',
  'role:internet': 'Everybody on the Internet',
}

export const groupName = (group: Pick<Group, 'name' | 'is_system_group'>): string =>
  group.is_system_group ? (SYSTEM_GROUPS[group.name as SystemGroupName] ?? group.name) : group.name
