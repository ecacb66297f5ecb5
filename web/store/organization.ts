import { useRef, useSyncExternalStore } from 'react'
import type { StateOf } from '#events/state/state.ts'
import type { AnswerOf } from '../api/call.ts'
import { createStore, type Readable } from '../ui/create-store.ts'
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

const store = createStore<Organization | undefined>(undefined)

/** The organization as an observable value; undefined until the initial state is loaded. */
export const organizationStore: Readable<Organization | undefined> = store

/** Replaces the organization with the initial state that `register` returned. */
export const setOrganization = (organization: Organization): void => store.set(organization)

/**
 * Returns the organization. The component is rendered again when a property that it has read changes. Use it only in
 * components that render after the initial state is loaded.
 */
export function useOrganization(): Organization {
  const read = useRef(new Map<string | symbol, unknown>())
  const view = useRef<Organization | null>(null)
  return useSyncExternalStore(store.subscribe, () => {
    const organization = loaded(store.get())
    const isSame = [...read.current].every(([name, value]) => Object.is(memberOf(organization, name), value))
    if (view.current === null || !isSame) view.current = recordingView(organization, read.current)
    return view.current
  })
}

/** Returns a proxy of the organization that records in `read` which properties are read, and their values. */
function recordingView(organization: Organization, read: Map<string | symbol, unknown>): Organization {
  read.clear()
  return new Proxy(organization, {
    get(_, name) {
      const value = memberOf(loaded(store.get()), name)
      read.set(name, value)
      return value
    },
  })
}

const memberOf = (organization: Organization, name: string | symbol): unknown =>
  organization[name as keyof Organization]

/**
 * Returns a part of the organization. The component is rendered again only when that part changes. `isEqual` compares
 * parts if `select` builds a new object at each call.
 */
export const useOrganizationPart = <Part>(
  select: (organization: Organization) => Part,
  isEqual?: (one: Part, other: Part) => boolean,
): Part => store.usePart((known) => select(loaded(known)), isEqual)

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
  const changed = Object.entries(change(known)).filter(([name, value]) => !Object.is(memberOf(known, name), value))
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
  accountsById(accounts.cross_realm_bots).get(id)

/** Returns an account that the user may see. The component is rendered again only when that account changes. */
export const usePerson = (id: number): Person | undefined =>
  useOrganizationPart((organization) => findPerson(organization, id))

export const useOwnId = (): number => useOrganizationPart(({ user_id }) => user_id)

export const findOwnAccount = (organization: Organization): Person | undefined =>
  findPerson(organization, organization.user_id)
