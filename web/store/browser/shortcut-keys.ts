import { useSyncExternalStore } from 'react'
import { knownOrganization } from '../organization.ts'

/** What a single letter or sign does: known by the key that does it unless somebody chose another. */
export type Command = { readonly key: string; readonly does: string; readonly also?: string }

/** All of them, in the order in which they are listed. `also` does the same and stays as it is. */
export const COMMANDS: readonly Command[] = [
  { key: '?', does: 'Show the list of shortcuts' },
  { key: '/', does: 'Search', also: 'Ctrl+K' },
  { key: 'j', does: 'The next message', also: '↓' },
  { key: 'k', does: 'The message before', also: '↑' },
  { key: 'r', does: 'Answer', also: 'Enter' },
  { key: 'c', does: 'Write a message' },
  { key: 'x', does: 'A new direct message' },
  { key: 'n', does: 'The next topic with something unread' },
  { key: 'p', does: 'The next direct message that is unread' },
  { key: 's', does: 'From the topic to its channel, and from a message to its topic' },
  { key: 'z', does: 'The conversation around the message' },
  { key: 'I', does: 'Inbox' },
  { key: 't', does: 'Recent conversations' },
  { key: 'a', does: 'Combined' },
  { key: 'd', does: 'Drafts' },
  { key: 'q', does: 'Filter the channels' },
  { key: 'w', does: 'Filter the people' },
  { key: '>', does: 'Quote the message' },
  { key: '<', does: 'Forward the message' },
  { key: 'e', does: 'Edit the message where one may, else see its source' },
  { key: ':', does: 'React with any emoji' },
  { key: '+', does: 'React with a thumb up' },
  { key: '=', does: 'React as the first did' },
  { key: 'i', does: 'The menu of the message' },
  { key: 'm', does: 'Move the message' },
  { key: 'H', does: 'The history of the message' },
  { key: 'U', does: 'Mark as unread from the message on' },
]

/** What somebody chose: whether such keys count at all, and those that are not as they were, by the key that each was. */
export type KeyChoice = { readonly areOn: boolean; readonly keys: Readonly<Record<string, string>> }

export const AS_THEY_WERE: KeyChoice = { areOn: true, keys: {} }

/** The key that does what `key` does unless somebody chose another. */
export const keyNow = (choice: KeyChoice, key: string): string => choice.keys[key] ?? key

/** How a key is named, such as `J` or `Shift+H`. */
export function nameOfKey(key: string): string {
  const upper = key.toUpperCase()
  return key === upper && key !== key.toLowerCase() ? `Shift+${upper}` : upper
}

/** The key that did, before anybody chose, what the pressed one does now; null for nothing, and while such keys are off. */
export function meaningOf(choice: KeyChoice, pressed: string): string | null {
  if (!choice.areOn) return null
  return COMMANDS.find(({ key }) => keyNow(choice, key) === pressed)?.key ?? null
}

/** The choice with another key for a command, or the words that say why that cannot be. */
export function withKey(choice: KeyChoice, key: string, chosen: string): KeyChoice | string {
  if ([...chosen].length !== 1 || chosen.trim() === '') return 'Choose a single letter, digit or sign.'
  const taken = COMMANDS.find((one) => one.key !== key && keyNow(choice, one.key) === chosen)
  if (taken !== undefined)
    return `${nameOfKey(chosen)} is taken: “${taken.does}”. Choose another, or give that one another key first.`
  const { [key]: _, ...others } = choice.keys
  return { ...choice, keys: chosen === key ? others : { ...others, [key]: chosen } }
}

/** What was kept, as far as it makes sense: known commands, a key for each, none twice. */
export function readChoice(json: string | null): KeyChoice {
  const kept = parse(json)
  const keys = Object.entries(kept.keys ?? {}).filter(([key]) => COMMANDS.some((one) => one.key === key))
  // All at once, as two of them may have changed places.
  const choice = { areOn: kept.areOn !== false, keys: Object.fromEntries(keys) }
  const used = COMMANDS.map(({ key }) => keyNow(choice, key))
  const areWell = used.every((key) => typeof key === 'string' && [...key].length === 1)
  return areWell && new Set(used).size === used.length ? choice : { ...AS_THEY_WERE, areOn: choice.areOn }
}

function parse(json: string | null): { areOn?: unknown; keys?: Record<string, string> } {
  try {
    const value: unknown = JSON.parse(json ?? '{}')
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

const PREFIX = 'parley.keys.'

const listeners = new Set<() => void>()
let held: { ownId: number | undefined; choice: KeyChoice } | null = null

// Another window of the same browser may have changed it.
if (typeof addEventListener === 'function')
  addEventListener('storage', ({ key }) => {
    if (key !== null && !key.startsWith(PREFIX)) return
    held = null
    for (const listener of listeners) listener()
  })

const placeOf = (ownId: number | undefined) => `${PREFIX}${ownId}`

/** What whoever is signed in chose in this browser. */
export function keyChoice(): KeyChoice {
  const ownId = knownOrganization()?.user_id
  if (held === null || held.ownId !== ownId) held = { ownId, choice: readChoice(readPlace(ownId)) }
  return held.choice
}

function readPlace(ownId: number | undefined): string | null {
  try {
    return localStorage.getItem(placeOf(ownId))
  } catch {
    return null
  }
}

export function setKeyChoice(choice: KeyChoice): void {
  const ownId = knownOrganization()?.user_id
  held = { ownId, choice }
  try {
    localStorage.setItem(placeOf(ownId), JSON.stringify(choice))
  } catch {
    // Without storage it lasts as long as the page.
  }
  for (const listener of listeners) listener()
}

export function useKeyChoice(): KeyChoice {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, keyChoice)
}
