import { useMemo } from 'react'
import { t } from '../../text/t.ts'
import { type Organization, type Person, useOrganization } from '../organization.ts'

type Accounts = Pick<Organization, 'realm_users' | 'realm_non_active_users' | 'cross_realm_bots'>

/**
 * Returns a lookup by id of everybody whom the viewer may see: active and deactivated accounts, and the server's own bots,
 * which send messages in every organization.
 */
export function peopleFinder(accounts: Accounts): (id: number) => Person | undefined {
  const { realm_users, realm_non_active_users, cross_realm_bots } = accounts
  const all: readonly Person[] = [...cross_realm_bots, ...realm_non_active_users, ...realm_users]
  const byId = new Map(all.map((person) => [person.user_id, person]))
  return (id) => byId.get(id)
}

/** Returns the lookup of `peopleFinder`, for components. */
export function usePeople(): (id: number) => Person | undefined {
  const { realm_users, realm_non_active_users, cross_realm_bots } = useOrganization()
  return useMemo(
    () => peopleFinder({ realm_users, realm_non_active_users, cross_realm_bots }),
    [realm_users, realm_non_active_users, cross_realm_bots],
  )
}

/** Returns a function that names a conversation by its other participants. */
export function useConversationName(): (people: readonly number[]) => string {
  const find = usePeople()
  const { user_id } = useOrganization()
  return (people) =>
    people
      .map((id) =>
        id === user_id
          ? t('{name} (you)', { name: find(id)?.full_name ?? t('You') })
          : (find(id)?.full_name ?? t('Unknown user')),
      )
      .join(', ')
}

/** Returns the users who can receive direct messages, by name. */
export const messageablePeople = ({ realm_users }: Pick<Organization, 'realm_users'>): Person[] =>
  [...realm_users].sort((one, other) => byName.compare(one.full_name, other.full_name))

const byName = new Intl.Collator(undefined, { sensitivity: 'base', numeric: true })
