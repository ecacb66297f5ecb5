import { useMemo } from 'react'
import { useOrganization } from '../organization.ts'

/** Returns the ids of muted users. The server marks their messages as read, and the client hides them. */
export function useMutedIds(): ReadonlySet<number> {
  const { muted_users } = useOrganization()
  return useMemo(() => new Set(muted_users.map(({ id }) => id)), [muted_users])
}
