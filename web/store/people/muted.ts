import { type Organization, useOrganizationPart } from '../organization.ts'

type MutedUsers = Organization['muted_users']

let latest: { users: MutedUsers; ids: ReadonlySet<number> } | undefined

function mutedIds(users: MutedUsers): ReadonlySet<number> {
  if (latest?.users !== users) latest = { users, ids: new Set(users.map(({ id }) => id)) }
  return latest.ids
}

/** Returns the ids of muted users. The server marks their messages as read, and the client hides them. */
export const useMutedIds = (): ReadonlySet<number> => useOrganizationPart(({ muted_users }) => mutedIds(muted_users))

export const useIsMuted = (id: number): boolean =>
  useOrganizationPart(({ muted_users }) => mutedIds(muted_users).has(id))
