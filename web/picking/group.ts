import type { SystemGroupName } from '#realms/realm-settings.ts'
import { isInSetting } from '../store/membership.ts'
import type { Group, Organization } from '../store/organization.ts'
import { t } from '../text/t.ts'

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

/** Returns true if the user may mention the group. */
export const mayMention = ({ realm_user_groups, user_id }: Organization, group: Group): boolean =>
  isInSetting(realm_user_groups, user_id, group.can_mention_group)
