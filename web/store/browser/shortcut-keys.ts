import { useSyncExternalStore } from 'react'
import { t } from '../../text/t.ts'
import { knownOrganization } from '../organization.ts'

/** A single-key shortcut, identified by its default key. */
type ShortcutCommand = { readonly key: string; readonly label: string; readonly also?: string }

/** All single-key shortcuts, in the order of the list. `also` is a second, fixed key. */
export const SHORTCUT_COMMANDS: readonly ShortcutCommand[] = [
  { key: '?', label: t('Show keyboard shortcuts') },
  { key: '/', label: t('Search') },
  { key: 'j', label: t('Next message'), also: '↓' },
  { key: 'k', label: t('Previous message'), also: '↑' },
  { key: 'r', label: t('Reply'), also: 'Enter' },
  { key: 'c', label: t('New message') },
  { key: 'x', label: t('New direct message') },
  { key: 'n', label: t('Next unread topic') },
  { key: 'p', label: t('Next unread direct message') },
  { key: 's', label: t('Go from topic to channel, or from message to topic') },
  { key: 'z', label: t('View message in its conversation') },
  { key: 'I', label: t('Inbox') },
  { key: 't', label: t('Recent conversations') },
  { key: 'a', label: t('Combined') },
  { key: 'd', label: t('Drafts') },
  { key: 'q', label: t('Filter channels') },
  { key: 'w', label: t('Filter people') },
  { key: '>', label: t('Quote message') },
  { key: '<', label: t('Forward message') },
  { key: 'e', label: t('Edit message (or view source)') },
  { key: ':', label: t('Add emoji reaction') },
  { key: '+', label: t('React with 👍') },
  { key: '=', label: t('Add the first reaction') },
  { key: 'i', label: t('Open message menu') },
  { key: 'm', label: t('Move messages') },
  { key: 'H', label: t('View edit history') },
  { key: 'U', label: t('Mark as unread from here') },
]

/** The user's shortcut settings: whether single-key shortcuts are on, and changed keys by their default key. */
export type ShortcutSettings = { readonly areOn: boolean; readonly keys: Readonly<Record<string, string>> }

export const DEFAULT_SHORTCUTS: ShortcutSettings = { areOn: true, keys: {} }

/** Returns the current key of a shortcut, given its default key. */
export const currentKey = (choice: ShortcutSettings, key: string): string => choice.keys[key] ?? key

/** Returns the label of a key, such as `J` or `Shift+H`. */
export function keyLabel(key: string): string {
  const upper = key.toUpperCase()
  return key === upper && key !== key.toLowerCase() ? `Shift+${upper}` : upper
}

/** Returns the default key of the shortcut for the pressed key; null if there is none, or if shortcuts are off. */
export function commandForKey(choice: ShortcutSettings, pressed: string): string | null {
  if (!choice.areOn) return null
  return SHORTCUT_COMMANDS.find(({ key }) => currentKey(choice, key) === pressed)?.key ?? null
}

/** Returns the settings with another key for a command, or an error message. */
export function withKey(choice: ShortcutSettings, key: string, chosen: string): ShortcutSettings | string {
  if ([...chosen].length !== 1 || chosen.trim() === '') return t('Use a single letter, digit or symbol.')
  const taken = SHORTCUT_COMMANDS.find((one) => one.key !== key && currentKey(choice, one.key) === chosen)
  if (taken !== undefined)
    return t('{key} is already used for “{command}”. Choose another key, or change that shortcut first.', {
      key: keyLabel(chosen),
      command: taken.label,
    })
  const { [key]: _, ...others } = choice.keys
  return { ...choice, keys: chosen === key ? others : { ...others, [key]: chosen } }
}

/** Reads stored settings. Invalid ones are dropped: unknown commands, and keys that are used twice. */
export function readShortcutSettings(json: string | null): ShortcutSettings {
  const kept = parse(json)
  const keys = Object.entries(kept.keys ?? {}).filter(([key]) => SHORTCUT_COMMANDS.some((one) => one.key === key))
  // Checked together, since two commands may have swapped keys.
  const choice = { areOn: kept.areOn !== false, keys: Object.fromEntries(keys) }
  const used = SHORTCUT_COMMANDS.map(({ key }) => currentKey(choice, key))
  const areWell = used.every((key) => typeof key === 'string' && [...key].length === 1)
  return areWell && new Set(used).size === used.length ? choice : { ...DEFAULT_SHORTCUTS, areOn: choice.areOn }
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
let held: { ownId: number | undefined; choice: ShortcutSettings } | null = null

// Another window of the same browser may have changed the settings.
if (typeof addEventListener === 'function')
  addEventListener('storage', ({ key }) => {
    if (key !== null && !key.startsWith(PREFIX)) return
    held = null
    for (const listener of listeners) listener()
  })

const storageKeyOf = (ownId: number | undefined) => `${PREFIX}${ownId}`

/** Returns the user's shortcut settings in this browser. */
export function shortcutSettings(): ShortcutSettings {
  const ownId = knownOrganization()?.user_id
  if (held === null || held.ownId !== ownId) held = { ownId, choice: readShortcutSettings(readStored(ownId)) }
  return held.choice
}

function readStored(ownId: number | undefined): string | null {
  try {
    return localStorage.getItem(storageKeyOf(ownId))
  } catch {
    return null
  }
}

export function setShortcutSettings(choice: ShortcutSettings): void {
  const ownId = knownOrganization()?.user_id
  held = { ownId, choice }
  try {
    localStorage.setItem(storageKeyOf(ownId), JSON.stringify(choice))
  } catch {
    // Without storage, it lasts as long as the page.
  }
  for (const listener of listeners) listener()
}

export function useShortcutSettings(): ShortcutSettings {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, shortcutSettings)
}
