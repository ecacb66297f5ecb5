import type { SystemGroupName } from '#realms/settings.ts'
import type { Group } from '../../store/organization.ts'
import { t } from '../../text/t.ts'

/** The names of role-based groups. */
export const SYSTEM_GROUPS: Readonly<Record<SystemGroupName, string>> = {
  'role:everyone': t('Everyone, including guests'),
  'role:members': t('Everyone except guests'),
  'role:fullmembers': t('Full members'),
  'role:moderators': t('Moderators and administrators'),
  'role:administrators': t('Administrators'),
  'role:owners': t('Owners'),
  'role:nobody': t('Nobody'),
  'role:internet': t('Everyone on the internet'),
}

export const groupName = (group: Pick<Group, 'name' | 'is_system_group'>): string =>
  group.is_system_group ? (SYSTEM_GROUPS[group.name as SystemGroupName] ?? group.name) : group.name
