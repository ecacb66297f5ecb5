import { useMemo } from 'react'
import { useOrganization } from '../../../store/organization.ts'

/** Returns a function that names a user by id. */
export function useNames(): (userId: number) => string {
  const { realm_users } = useOrganization()
  return useMemo(() => {
    let names: Map<number, string> | undefined
    return (userId) => {
      names ??= new Map(realm_users.map(({ user_id, full_name }) => [user_id, full_name]))
      return names.get(userId) ?? 'somebody'
    }
  }, [realm_users])
}
