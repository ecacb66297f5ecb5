import { useMemo } from 'react'
import { useOrganization } from '../organization.ts'

/** The ids of those whom one has muted: the server marks as read what they write, and the client keeps it out of sight. */
export function useMutedIds(): ReadonlySet<number> {
  const { muted_users } = useOrganization()
  return useMemo(() => new Set(muted_users.map(({ id }) => id)), [muted_users])
}
