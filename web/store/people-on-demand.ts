import { createAtom, useSelector } from '@tanstack/react-store'
import { useEffect } from 'react'
import { type AnswerOf, call } from '../api/call.ts'
import {
  currentOrganization,
  type Organization,
  onMissingPerson,
  type Person,
  updateOrganization,
  useOrganizationPart,
} from './organization.ts'

// In large organizations, the initial state has only the people whom the user needs first. The client fetches others
// when something looks them up by id, when the user types a name, and all of them for pages that list everyone.

const isIncomplete = (organization: Organization | undefined): boolean => organization?.user_list_incomplete === true

/** Returns true as long as there may be users whom the client does not know. */
export const useIsListIncomplete = (): boolean => useOrganizationPart(isIncomplete)

/** The format in which the initial state has accounts. */
const FORMAT = { client_gravatar: false, include_custom_profile_fields: true } as const

/** The maximum number of ids in a request, which is also the server's. */
const MAX_IDS = 500

/** The number of missing people from which everyone is fetched at once. */
const MAX_MISSING = 2000

/** The time for which ids are gathered, and without a key before a typed name is looked up, in milliseconds. */
const GATHERING = 5
const TYPING = 100

/** The requests since the initial state was loaded. */
type Requests = {
  /** Ids that were requested, so that they are not requested again. */
  readonly ids: Set<number>
  /** Ids for the next request. */
  readonly waiting: Set<number>
  /** Names that were searched completely. */
  readonly names: Set<string>
  /** People who were changed while requests were on their way, whose responses may lack the change. */
  readonly changed: Set<number>
  pending: number
}

type Bots = Organization['cross_realm_bots']

/** The requests by the bots of the server in the initial state: events never change that list. */
const requests = new WeakMap<Bots, Requests>()

const NO_BOTS: Bots = []

/** Returns the requests since the current initial state was loaded. */
function currentRequests(): Requests {
  const key = currentOrganization()?.cross_realm_bots ?? NO_BOTS
  const known = requests.get(key)
  if (known !== undefined) return known
  const [ids, waiting, changed] = [new Set<number>(), new Set<number>(), new Set<number>()]
  const fresh: Requests = { ids, waiting, names: new Set(), changed, pending: 0 }
  requests.set(key, fresh)
  return fresh
}

/** The ids that the server does not know, or that could not be fetched. */
const unknownIds = createAtom<Set<number>>(new Set<number>())

/** Returns true while the client does not know yet whether there is a person with this id. */
export function useIsUnfetched(id: number): boolean {
  const isKnown = useOrganizationPart(({ realm_users, realm_non_active_users }) =>
    [realm_users, realm_non_active_users].some((list) => list.some(({ user_id }) => user_id === id)),
  )
  const isUnknown = useSelector(unknownIds, (ids) => ids.has(id))
  return useIsListIncomplete() && !isKnown && !isUnknown && id > 0
}

onMissingPerson((id) => {
  const known = currentRequests()
  if (!isIncomplete(currentOrganization()) || known.ids.has(id) || !Number.isSafeInteger(id) || id <= 0) return
  known.ids.add(id)
  known.waiting.add(id)
  if (known.waiting.size === 1) setTimeout(() => void fetchWaiting(known), GATHERING)
})

async function fetchWaiting(known: Requests): Promise<void> {
  const ids = [...known.waiting]
  known.waiting.clear()
  try {
    if (ids.length > MAX_MISSING) await loadEveryone()
    else
      for (let start = 0; start < ids.length; start += MAX_IDS)
        await fetchPeople(() => call('GET /users', { user_ids: ids.slice(start, start + MAX_IDS), ...FORMAT }))
  } catch {
    for (const id of ids) known.ids.delete(id)
  }
  const { realm_users = [], realm_non_active_users = [] } = currentOrganization() ?? {}
  const found = new Set([...realm_users, ...realm_non_active_users].map(({ user_id }) => user_id))
  const missing = ids.filter((id) => !found.has(id) && !known.waiting.has(id))
  unknownIds.set(new Set([...unknownIds.get(), ...missing]))
}

/** Fetches people and adds them to the organization. Returns all who were fetched. */
async function fetchPeople(fetch: () => Promise<AnswerOf<'GET /users'>>): Promise<Person[]> {
  const known = currentRequests()
  known.pending += 1
  try {
    const members = (await fetch()).members as Person[]
    if (known === currentRequests()) addPeople(known, members)
    return members
  } finally {
    known.pending -= 1
    if (known.pending === 0) known.changed.clear()
  }
}

/** Adds people whom the client did not know: events have kept the others up to date. */
function addPeople(known: Requests, members: readonly Person[]): void {
  const outdated = members.filter(({ user_id }) => known.changed.has(user_id))
  updateOrganization(({ realm_users, realm_non_active_users }) => {
    const there = new Set([...realm_users, ...realm_non_active_users, ...outdated].map(({ user_id }) => user_id))
    const added = members.filter(({ user_id }) => !there.has(user_id))
    const [active, deactivated] = [added.filter(isActive), added.filter((person) => !isActive(person))]
    return {
      realm_users: active.length === 0 ? realm_users : [...realm_users, ...active],
      realm_non_active_users:
        deactivated.length === 0 ? realm_non_active_users : [...realm_non_active_users, ...deactivated],
    }
  })
  const unknown = unknownIds.get()
  if (members.some(({ user_id }) => unknown.has(user_id)))
    unknownIds.set(unknown.difference(new Set(members.map(({ user_id }) => user_id))))
  for (const { user_id } of outdated) {
    known.changed.delete(user_id)
    known.ids.add(user_id)
    known.waiting.add(user_id)
    if (known.waiting.size === 1) setTimeout(() => void fetchWaiting(known), GATHERING)
  }
}

const isActive = ({ is_active }: Person) => is_active

/** Notes an event about a person whom the client may be fetching. */
export function noteChangedPerson(id: number): void {
  const known = currentRequests()
  if (known.pending > 0) known.changed.add(id)
}

/** Fetches everyone. Rejects with `ApiError`. */
export async function loadEveryone(): Promise<number> {
  const known = currentRequests()
  const members = await fetchPeople(() => call('GET /users', FORMAT))
  // People who changed meanwhile are fetched again.
  while (known.waiting.size > 0) await fetchWaiting(known)
  if (known === currentRequests()) updateOrganization(() => ({ user_list_incomplete: false }))
  return members.length
}

/**
 * Fetches people whose name or address begins with the text, unless the client knows them already. Resolves to true if
 * there may be new ones. Never rejects: without a connection, only known people are found.
 */
export async function findMorePeople(text: string): Promise<boolean> {
  const known = currentRequests()
  const name = text.trim().toLowerCase()
  const isKnown = () => !isIncomplete(currentOrganization()) || known.names.has(name)
  if (name === '' || isKnown()) return false
  latestName.set(name)
  await new Promise((resolve) => setTimeout(resolve, TYPING))
  if (latestName.get() !== name || isKnown()) return false
  try {
    known.names.add(name)
    await fetchPeople(() => call('GET /users/search', { query: name.slice(0, 100), ...FORMAT }))
    return true
  } catch {
    known.names.delete(name)
    return false
  }
}

/** The name that the user typed last. Only this one is looked up. */
const latestName = createAtom('')

/** Fetches people whose name or address begins with what the user types. */
export function useMorePeople(text: string): void {
  useEffect(() => void findMorePeople(text), [text])
}
