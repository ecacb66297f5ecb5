import { createAtom, type ReadonlyAtom, shallow, useSelector } from '@tanstack/react-store'
import type { StateOf } from '#events/state/state.ts'
import type { AnswerOf } from '../api/call.ts'
import type { INITIAL_STATE_TYPES } from './registration.ts'

export type RegisterState = AnswerOf<'POST /register'>

type State = StateOf<(typeof INITIAL_STATE_TYPES)[number]>

/**
 * The organization as the client shows it: the initial state, which events keep up to date. It has all settings, because
 * the client registers with `parley_extensions`.
 */
export type Organization = Omit<State, 'user_settings'> & { user_settings: Required<State['user_settings']> }

export type Person = Organization['realm_users'][number]
export type Subscription = Organization['subscriptions'][number]
/** A channel that the user can see, subscribed or not. */
export type Channel = Organization['never_subscribed'][number]
export type Group = Organization['realm_user_groups'][number]
export type ProfileField = Organization['custom_profile_fields'][number]

const store = createAtom<Organization | undefined>(undefined)

/** The organization as an observable value; undefined until the initial state is loaded. */
export const organizationStore: ReadonlyAtom<Organization | undefined> = store

/** Replaces the organization with the initial state that `register` returned. */
export const setOrganization = (organization: Organization): void => store.set(organization)

/**
 * Returns properties of the organization; all of them without names. The component is rendered again only when one of
 * them changes. Use it only in components that render after the initial state is loaded.
 */
export function useOrganization(): Organization
export function useOrganization<Name extends keyof Organization>(...names: Name[]): Pick<Organization, Name>
export function useOrganization(...names: (keyof Organization)[]): Partial<Organization> {
  return useOrganizationPart(
    (all) => (names.length === 0 ? all : Object.fromEntries(names.map((name) => [name, all[name]]))),
    shallow,
  )
}

/**
 * Returns a part of the organization. The component is rendered again only when that part changes. `compare` compares
 * parts if `select` builds a new object at each call.
 */
export const useOrganizationPart = <Part>(
  select: (organization: Organization) => Part,
  compare: (one: Part, other: Part) => boolean = Object.is,
): Part => useSelector(store, (known) => select(loaded(known)), { compare })

function loaded(organization: Organization | undefined): Organization {
  if (organization === undefined) throw new Error('The organization is not loaded yet')
  return organization
}

/**
 * Updates the organization, unless the initial state is not loaded yet. Properties that stay the same cause no
 * rendering.
 */
export function updateOrganization(change: (organization: Organization) => Partial<Organization>): void {
  const known = store.get()
  if (known === undefined) return
  const changed = Object.entries(change(known)).filter(
    ([name, value]) => !Object.is(known[name as keyof Organization], value),
  )
  if (changed.length > 0) store.set({ ...known, ...Object.fromEntries(changed) })
}

/** Returns the current organization outside of components; undefined until the initial state is loaded. */
export const currentOrganization = store.get

/** Returns a function that indexes a list by id. It builds the index of a list only once. */
function indexedBy<Item>(idOf: (item: Item) => number): (items: readonly Item[]) => ReadonlyMap<number, Item> {
  const known = new WeakMap<readonly Item[], ReadonlyMap<number, Item>>()
  return (items) => {
    const index = known.get(items) ?? new Map(items.map((item) => [idOf(item), item]))
    known.set(items, index)
    return index
  }
}

/** Returns subscriptions by channel id. */
export const subscriptionsById = indexedBy((one: Subscription) => one.stream_id)

const accountsById = indexedBy((one: Person) => one.user_id)

/** Returns the user's subscription to a channel. */
export const findChannel = (id: number): Subscription | undefined =>
  subscriptionsById(store.get()?.subscriptions ?? []).get(id)

/** Returns the user's subscription to a channel, for components. */
export const useSubscription = (id: number): Subscription | undefined =>
  useOrganizationPart(({ subscriptions }) => subscriptionsById(subscriptions).get(id))

/**
 * Returns an active or deactivated account, or a bot of the server. The server's bots send messages in every
 * organization.
 */
export const findPerson = (
  accounts: Pick<Organization, 'realm_users' | 'realm_non_active_users' | 'cross_realm_bots'>,
  id: number,
): Person | undefined =>
  accountsById(accounts.realm_users).get(id) ??
  accountsById(accounts.realm_non_active_users).get(id) ??
  accountsById(accounts.cross_realm_bots).get(id) ??
  missing(id)

function missing(id: number): undefined {
  for (const handle of missingHandlers) handle(id)
}

const missingHandlers = new Set<(id: number) => void>()

/** The function is called with each id that is looked up in vain. It must not change stores while components render. */
export const onMissingPerson = (handle: (id: number) => void): unknown => missingHandlers.add(handle)

/** Returns an account that the user may see. The component is rendered again only when that account changes. */
export const usePerson = (id: number): Person | undefined =>
  useOrganizationPart((organization) => findPerson(organization, id))

export const useOwnId = (): number => useOrganizationPart(({ user_id }) => user_id)

export const findOwnAccount = (organization: Organization): Person | undefined =>
  findPerson(organization, organization.user_id)
