import { useMemo } from 'react'
import { type Organization, type Person, useOrganization } from '../organization.ts'

/** Finds people by their ids, those without an account any more included; undefined for whom one may not know of. */
export function usePeople(): (id: number) => Person | undefined {
  const { realm_users, realm_non_active_users } = useOrganization()
  return useMemo(() => {
    const byId = new Map(
      [...realm_non_active_users, ...realm_users].map((person) => [person.user_id, person as Person]),
    )
    return (id: number) => byId.get(id)
  }, [realm_users, realm_non_active_users])
}

/** Names a conversation by its others. */
export function useConversationName(): (people: readonly number[]) => string {
  const find = usePeople()
  const { user_id } = useOrganization()
  return (people) =>
    people
      .map((id) => (id === user_id ? `${find(id)?.full_name ?? 'You'} (you)` : (find(id)?.full_name ?? 'Unknown user')))
      .join(', ')
}

/** Those whom one can write to, by name. */
export const writablePeople = ({ realm_users }: Pick<Organization, 'realm_users'>): Person[] =>
  [...realm_users].sort((one, other) => byName.compare(one.full_name, other.full_name))

const byName = new Intl.Collator(undefined, { sensitivity: 'base', numeric: true })
