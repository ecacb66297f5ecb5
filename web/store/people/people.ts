import { useCallback } from 'react'
import { t } from '../../text/t.ts'
import { findPerson, type Organization, type Person, useOrganizationPart, useOwnId } from '../organization.ts'

type Accounts = Pick<Organization, 'realm_users' | 'realm_non_active_users' | 'cross_realm_bots'>

/**
 * Returns a lookup by id of all accounts that the user may see: active accounts, deactivated accounts, and the bots of
 * the server, which send messages in every organization.
 */
export function peopleFinder(accounts: Accounts): (id: number) => Person | undefined {
  return (id) => findPerson(accounts, id)
}

let latest: { accounts: Accounts; find: (id: number) => Person | undefined } | undefined

/** Returns the lookup of `peopleFinder`. It stays the same function until an account changes. */
function currentFinder(accounts: Accounts): (id: number) => Person | undefined {
  const { realm_users, realm_non_active_users, cross_realm_bots } = accounts
  const isSame =
    latest?.accounts.realm_users === realm_users &&
    latest.accounts.realm_non_active_users === realm_non_active_users &&
    latest.accounts.cross_realm_bots === cross_realm_bots
  if (!isSame) latest = { accounts, find: peopleFinder(accounts) }
  return latest!.find
}

/**
 * Returns the lookup of `peopleFinder` to a component. The component is rendered again whenever an account changes.
 * Components about one person use `usePerson`.
 */
export const usePeople = (): ((id: number) => Person | undefined) => useOrganizationPart(currentFinder)

/** Returns a function that returns the name of a direct message conversation, given its other participants. */
export function useConversationName(): (people: readonly number[]) => string {
  const find = usePeople()
  const user_id = useOwnId()
  return useCallback(
    (people) =>
      people
        .map((id) =>
          id === user_id
            ? t('{name} (you)', { name: find(id)?.full_name ?? t('You') })
            : (find(id)?.full_name ?? t('Unknown user')),
        )
        .join(', '),
    [find, user_id],
  )
}

/** Returns the users who can receive direct messages, sorted by name. */
export const messageablePeople = ({ realm_users }: Pick<Organization, 'realm_users'>): Person[] =>
  [...realm_users].sort((one, other) => byName.compare(one.full_name, other.full_name))

const byName = new Intl.Collator(undefined, { sensitivity: 'base', numeric: true })
