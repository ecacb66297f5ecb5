import { useCallback } from 'react'
import { t } from '../text/t.ts'
import { findPerson, type Organization, type Person, useOrganizationPart, useOwnId } from './organization.ts'

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

/** The ids of active users by name. It is built again only when the users change. */
const idsByName = new WeakMap<readonly Person[], ReadonlyMap<string, readonly number[]>>()

/** Returns true if another active user has the same name. */
export function hasNamesake({ user_id, full_name }: Named, users: readonly Person[]): boolean {
  let known = idsByName.get(users)
  if (known === undefined) {
    const groups = Map.groupBy(users, (one) => one.full_name)
    known = new Map([...groups].map(([name, named]) => [name, named.map((one) => one.user_id)]))
    idsByName.set(users, known)
  }
  return known.get(full_name)?.some((id) => id !== user_id) === true
}

type Named = Pick<Person, 'user_id' | 'full_name'>

/**
 * Returns text that tells a user apart from active users with the same name: the email address, or the id if the address
 * is hidden. Returns null if no other active user has the name.
 */
export const namesakeDetail = (
  person: Named & Pick<Person, 'delivery_email'>,
  users: readonly Person[],
): string | null =>
  hasNamesake(person, users) ? (person.delivery_email ?? t('ID {id}', { id: person.user_id })) : null

/** Returns the name of a user, followed by `namesakeDetail` if another active user has the same name. */
export function distinctName(person: Named & Pick<Person, 'delivery_email'>, users: readonly Person[]): string {
  const detail = namesakeDetail(person, users)
  return detail === null ? person.full_name : t('{name} ({detail})', { name: person.full_name, detail })
}

/** Returns `namesakeDetail` to a component; null for unknown users. */
export const useNamesakeDetail = (person: Person | undefined): string | null =>
  useOrganizationPart(({ realm_users }) => (person === undefined ? null : namesakeDetail(person, realm_users)))

/** Returns the name of a direct message conversation, given its other participants. */
export const conversationName = (
  { find, users, ownId }: { find: (id: number) => Person | undefined; users: readonly Person[]; ownId: number },
  people: readonly number[],
): string =>
  people
    .map((id) => {
      const person = find(id)
      if (id === ownId) return t('{name} (you)', { name: person?.full_name ?? t('You') })
      return person === undefined ? t('Unknown user') : distinctName(person, users)
    })
    .join(', ')

/** Returns `conversationName` to a component, which is rendered again whenever an account changes. */
export function useConversationName(): (people: readonly number[]) => string {
  const find = usePeople()
  const users = useOrganizationPart(({ realm_users }) => realm_users)
  const ownId = useOwnId()
  return useCallback((people) => conversationName({ find, users, ownId }, people), [find, users, ownId])
}

/** Returns the users who can receive direct messages, sorted by name. */
export const messageablePeople = ({ realm_users }: Pick<Organization, 'realm_users'>): Person[] =>
  [...realm_users].sort((one, other) => byName.compare(one.full_name, other.full_name))

/** Returns the items in the same order, but with the user at the end. */
export function withOwnLast<Item extends object>(items: readonly Item[], ownId: number): Item[] {
  const isOwn = (item: Item) => 'user_id' in item && item.user_id === ownId
  return [...items.filter((item) => !isOwn(item)), ...items.filter(isOwn)]
}

const byName = new Intl.Collator(undefined, { sensitivity: 'base', numeric: true })

/** The roles with their numbers in the API, from the most to the least powerful. */
export const ROLES = [
  { id: 100, label: t('Owner'), hint: t('Can do everything, including deactivating the organization.') },
  { id: 200, label: t('Administrator'), hint: t('Manages people, channels and settings.') },
  { id: 300, label: t('Moderator'), hint: t('A member with extra permissions, such as moving old messages.') },
  { id: 400, label: t('Member'), hint: t('Sees everyone, and can join any public channel.') },
  { id: 600, label: t('Guest'), hint: t('Sees only channels they are added to.') },
] as const

export const roleName = (role: number): string => ROLES.find(({ id }) => id === role)?.label ?? t('Member')

type MutedUsers = Organization['muted_users']

let latestMuted: { users: MutedUsers; ids: ReadonlySet<number> } | undefined

function mutedIds(users: MutedUsers): ReadonlySet<number> {
  if (latestMuted?.users !== users) latestMuted = { users, ids: new Set(users.map(({ id }) => id)) }
  return latestMuted.ids
}

/** Returns the ids of muted users. The server marks their messages as read, and the client hides them. */
export const useMutedIds = (): ReadonlySet<number> => useOrganizationPart(({ muted_users }) => mutedIds(muted_users))

export const useIsMuted = (id: number): boolean =>
  useOrganizationPart(({ muted_users }) => mutedIds(muted_users).has(id))
