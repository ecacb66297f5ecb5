import { createAtom, shallow, useSelector } from '@tanstack/react-store'
import { useCallback } from 'react'
import { Role } from '#rules/role.ts'
import { t } from '../text/t.ts'
import {
  findPerson,
  type Organization,
  organizationStore,
  type Person,
  useOrganizationPart,
  useOwnId,
} from './organization.ts'

type Accounts = Pick<Organization, 'realm_users' | 'realm_non_active_users' | 'cross_realm_bots'>

/**
 * Returns a lookup by id of all accounts that the user may see: active accounts, deactivated accounts, and the bots of
 * the server, which send messages in every organization.
 */
export function peopleFinder(accounts: Accounts): (id: number) => Person | undefined {
  return (id) => findPerson(accounts, id)
}

const accounts = createAtom(
  (): Accounts => {
    const { realm_users = [], realm_non_active_users = [], cross_realm_bots = [] } = organizationStore.get() ?? {}
    return { realm_users, realm_non_active_users, cross_realm_bots }
  },
  { compare: shallow },
)

/** The lookup of `peopleFinder`. It stays the same function until an account changes. */
const currentFinder = createAtom(() => peopleFinder(accounts.get()))

/**
 * Returns the lookup of `peopleFinder` to a component. The component is rendered again whenever an account changes.
 * Components about one person use `usePerson`.
 */
export const usePeople = (): ((id: number) => Person | undefined) => useSelector(currentFinder)

/** Active users by name. It is built again only when the users change. */
const usersByName = new WeakMap<readonly Person[], ReadonlyMap<string, readonly Person[]>>()

/** Returns the other active users with the same name. */
function namesakesOf({ user_id, full_name }: Named, users: readonly Person[]): readonly Person[] {
  let known = usersByName.get(users)
  if (known === undefined) {
    known = Map.groupBy(users, (one) => one.full_name)
    usersByName.set(users, known)
  }
  return known.get(full_name)?.filter((one) => one.user_id !== user_id) ?? []
}

/** Returns true if another active user has the same name. */
export const hasNamesake = (person: Named, users: readonly Person[]): boolean => namesakesOf(person, users).length > 0

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

/** The maximum length of the part of an address in lists of names, unless it has to be longer to be clear. */
const MAX_SHORT = 12

/**
 * Returns `namesakeDetail` for a list of names, in which a long address would hide other names: the beginning of the
 * address, or as much of it as tells the user apart.
 */
function shortDetail(person: Named & Pick<Person, 'delivery_email'>, users: readonly Person[]): string | null {
  const address = person.delivery_email
  const namesakes = namesakesOf(person, users)
  if (address === null || namesakes.length === 0) return namesakeDetail(person, users)
  const isClear = (short: (address: string) => string) =>
    namesakes.every(({ delivery_email: other }) => other === null || short(other) !== short(address))
  return [beginningOf, localPartOf].find(isClear)?.(address) ?? address
}

const localPartOf = (address: string): string => address.split('@')[0] ?? address

function beginningOf(address: string): string {
  const name = localPartOf(address)
  return name.length > MAX_SHORT ? `${name.slice(0, MAX_SHORT - 1)}…` : name
}

/** Returns `distinctName` with as little of an address as tells the user apart, for lists of names. */
export function shortDistinctName(person: Named & Pick<Person, 'delivery_email'>, users: readonly Person[]): string {
  const detail = shortDetail(person, users)
  return detail === null ? person.full_name : t('{name} ({detail})', { name: person.full_name, detail })
}

/** Returns the name of a user, followed by `namesakeDetail` if another active user has the same name. */
export function distinctName(person: Named & Pick<Person, 'delivery_email'>, users: readonly Person[]): string {
  const detail = namesakeDetail(person, users)
  return detail === null ? person.full_name : t('{name} ({detail})', { name: person.full_name, detail })
}

/** Returns `namesakeDetail` to a component; null for unknown users. */
export const useNamesakeDetail = (person: Person | undefined): string | null =>
  useOrganizationPart(({ realm_users }) => (person === undefined ? null : namesakeDetail(person, realm_users)))

/** Returns the text in place of the name of an unknown user, who may be about to be fetched. */
export const unknownName = (): string =>
  organizationStore.get()?.user_list_incomplete === true ? '…' : t('Unknown user')

/**
 * Returns the name of a direct message conversation, given its other participants. In groups, addresses are shortened,
 * so that they do not hide the other names.
 */
export const conversationName = ({ find, users, ownId }: NameContext, people: readonly number[]): string =>
  people
    .map((id) => {
      const person = find(id)
      if (id === ownId) return t('{name} (you)', { name: person?.full_name ?? t('You') })
      if (person === undefined) return unknownName()
      return people.length > 1 ? shortDistinctName(person, users) : distinctName(person, users)
    })
    .join(', ')

type NameContext = { find: (id: number) => Person | undefined; users: readonly Person[]; ownId: number }

/**
 * Returns the names of the conversations in a narrow list. Groups have no addresses in their names, which would hide
 * other names, unless two groups in the list could not be told apart.
 */
export function namesInList(context: NameContext, conversations: readonly (readonly number[])[]): string[] {
  const namesOnly = (people: readonly number[]) =>
    people.map((id) => context.find(id)?.full_name ?? unknownName()).join(', ')
  const groups = conversations.filter((people) => people.length > 1).map(namesOnly)
  return conversations.map((people) => {
    const name = namesOnly(people)
    const isClear = people.length > 1 && groups.filter((one) => one === name).length === 1
    return isClear ? name : conversationName(context, people)
  })
}

/** Returns `namesInList` to a component, which is rendered again whenever an account changes. */
export function useNamesInList(conversations: readonly (readonly number[])[]): string[] {
  const find = usePeople()
  const users = useOrganizationPart(({ realm_users }) => realm_users)
  return namesInList({ find, users, ownId: useOwnId() }, conversations)
}

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
  { id: Role.owner, label: t('Owner'), hint: t('Can do everything, including deactivating the organization.') },
  { id: Role.administrator, label: t('Administrator'), hint: t('Manages people, channels and settings.') },
  {
    id: Role.moderator,
    label: t('Moderator'),
    hint: t('A member with extra permissions, such as moving old messages.'),
  },
  { id: Role.member, label: t('Member'), hint: t('Sees everyone, and can join any public channel.') },
  { id: Role.guest, label: t('Guest'), hint: t('Sees only channels they are added to.') },
] as const

export const roleName = (role: number): string => ROLES.find(({ id }) => id === role)?.label ?? t('Member')

const mutedUsers = createAtom(() => organizationStore.get()?.muted_users)
const mutedIds = createAtom((): ReadonlySet<number> => new Set(mutedUsers.get()?.map(({ id }) => id)))

/** Returns the ids of muted users. The server marks their messages as read, and the client hides them. */
export const useMutedIds = (): ReadonlySet<number> => useSelector(mutedIds)

export const useIsMuted = (id: number): boolean => useSelector(mutedIds, (ids) => ids.has(id))
