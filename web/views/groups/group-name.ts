import type { SystemGroupName } from '../../../server/organizations/realms/group-setting.ts'
import type { Group } from '../../store/organization.ts'
import { t } from '../../text/t.ts'

/** What the groups are called whose members follow from their roles. */
export const SYSTEM_GROUPS: Readonly<Record<SystemGroupName, string>> = {
  'role:everyone': t('Everybody, guests too'),
  'role:members': t('All members, but no guests'),
  'role:fullmembers': t('Members who are no newcomers'),
  'role:moderators': t('Moderators and administrators'),
  'role:administrators': t('Administrators'),
  'role:owners': t('Owners'),
  'role:nobody': t('Nobody'),
  'role:internet': t('Everybody on the Internet'),
}

export const groupName = (group: Pick<Group, 'name' | 'is_system_group'>): string =>
  group.is_system_group ? (SYSTEM_GROUPS[group.name as SystemGroupName] ?? group.name) : group.name
