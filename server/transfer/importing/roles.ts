import { isRole, Role } from '#rules/role.ts'
import type { UserRow } from './shapes.ts'

/** Returns the role of an account: a number, or two flags in older exports. */
export function roleOf({
  role,
  is_realm_admin,
  is_guest,
}: Pick<UserRow, 'role' | 'is_realm_admin' | 'is_guest'>): Role {
  if (role !== null && role !== undefined && isRole(role)) return role
  if (is_realm_admin) return Role.administrator
  return is_guest ? Role.guest : Role.member
}
