import { Role } from '#rules/role.ts'
import type { Organization } from '../organization.ts'
import { type GroupSetting, isInSetting } from './membership.ts'

type RuleUser = { id: number; role: number }

/** Returns the user in the form of the server's rules. A moderator counts as a member. */
export const ruleUser = (
  organization: Pick<Organization, 'user_id' | 'is_guest'> & { is_admin?: boolean },
): RuleUser => ({
  id: organization.user_id,
  role: organization.is_guest ? Role.guest : organization.is_admin === true ? Role.administrator : Role.member,
})

/** Returns the scope with which the server's rules check whether a permission setting includes a user. */
export const ruleScope = ({ realm_user_groups }: Pick<Organization, 'realm_user_groups'>) => ({
  includes: ({ id }: RuleUser, setting: GroupSetting): boolean => isInSetting(realm_user_groups, id, setting),
})
