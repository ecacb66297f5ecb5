import { useSyncExternalStore } from 'react'
import { t } from '../../text/t.ts'
import { knownOrganization } from '../organization.ts'

/** What a single letter or sign does: known by the key that does it unless somebody chose another. */
export type ShortcutCommand = { readonly key: string; readonly label: string; readonly also?: string }

/** All of them, in the order in which they are listed. `also` does the same and stays as it is. */
export const SHORTCUT_COMMANDS: readonly ShortcutCommand[] = [
  { key: '?', label: t('Show keyboard shortcuts') },
  { key: '/', label: t('Search'), also: 'Ctrl+K' },
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

/** What somebody chose: whether such keys count at all, and those that are not as they were, by the key that each was. */
export type ShortcutSettings = { readonly areOn: boolean; readonly keys: Readonly<Record<string, string>> }

export const DEFAULT_SHORTCUTS: ShortcutSettings = { areOn: true, keys: {} }

/** The key that does what `key` does unless somebody chose another. */
export const currentKey = (choice: ShortcutSettings, key: string): string => choice.keys[key] ?? key

/** How a key is named, such as `J` or `Shift+H`. */
export function keyLabel(key: string): string {
  const upper = key.toUpperCase()
  return key === upper && key !== key.toLowerCase() ? `Shift+${upper}` : upper
}

/** The key that did, before anybody chose, what the pressed one does now; null for nothing, and while such keys are off. */
export function commandForKey(choice: ShortcutSettings, pressed: string): string | null {
  if (!choice.areOn) return null
  return SHORTCUT_COMMANDS.find(({ key }) => currentKey(choice, key) === pressed)?.key ?? null
}

/** The choice with another key for a command, or the words that say why that cannot be. */
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

/** What was kept, as far as it makes sense: known commands, a key for each, none twice. */
export function readShortcutSettings(json: string | null): ShortcutSettings {
  const kept = parse(json)
  const keys = Object.entries(kept.keys ?? {}).filter(([key]) => SHORTCUT_COMMANDS.some((one) => one.key === key))
  // All at once, as two of them may have changed places.
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

// Another window of the same browser may have changed it.
if (typeof addEventListener === 'function')
  addEventListener('storage', ({ key }) => {
    if (key !== null && !key.startsWith(PREFIX)) return
    held = null
    for (const listener of listeners) listener()
  })

const placeOf = (ownId: number | undefined) => `${PREFIX}${ownId}`

/** What whoever is signed in chose in this browser. */
export function shortcutSettings(): ShortcutSettings {
  const ownId = knownOrganization()?.user_id
  if (held === null || held.ownId !== ownId) held = { ownId, choice: readShortcutSettings(readPlace(ownId)) }
  return held.choice
}

function readPlace(ownId: number | undefined): string | null {
  try {
    return localStorage.getItem(placeOf(ownId))
  } catch {
    return null
  }
}

export function setShortcutSettings(choice: ShortcutSettings): void {
  const ownId = knownOrganization()?.user_id
  held = { ownId, choice }
  try {
    localStorage.setItem(placeOf(ownId), JSON.stringify(choice))
  } catch {
    // Without storage it lasts as long as the page.
  }
  for (const listener of listeners) listener()
}

export function useShortcutSettings(): ShortcutSettings {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, shortcutSettings)
}
