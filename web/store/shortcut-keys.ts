import { createAtom, useSelector } from '@tanstack/react-store'
import { organizationStore } from './organization.ts'

/**
 * The default keys of all single-key shortcuts. A default key also identifies its shortcut; `shortcut-commands.ts` has
 * the labels.
 */
const SHORTCUT_KEYS: readonly string[] = [...'?/jkJKGnNpPszyADIta*drR@><cxeuvViULmH:+=-MFqwg,[]\\']

/**
 * The user's shortcut settings. `areOn` is true if single-key shortcuts are on. `keys` has the changed keys, by default
 * key.
 */
export type ShortcutSettings = { readonly areOn: boolean; readonly keys: Readonly<Record<string, string>> }

export const DEFAULT_SHORTCUTS: ShortcutSettings = { areOn: true, keys: {} }

/** Returns the current key of a shortcut, given its default key. */
export const currentKey = (choice: ShortcutSettings, key: string): string => choice.keys[key] ?? key

/** Returns the label of a key, such as `J` or `Shift+H`. */
export function keyLabel(key: string): string {
  const upper = key.toUpperCase()
  return key === upper && key !== key.toLowerCase() ? `Shift+${upper}` : upper
}

/** Returns the label of a shortcut's current key, given its default key; undefined if shortcuts are off. */
export function shortcutLabel(key: string): string | undefined {
  const choice = shortcutSettings()
  return choice.areOn ? keyLabel(currentKey(choice, key)) : undefined
}

/** Returns the default key of the shortcut for the pressed key; null if there is none, or if shortcuts are off. */
export function commandForKey(choice: ShortcutSettings, pressed: string): string | null {
  if (!choice.areOn) return null
  return SHORTCUT_KEYS.find((key) => currentKey(choice, key) === pressed) ?? null
}

/** Reads stored settings. Drops unknown commands. If a key is invalid or is used twice, drops all changed keys. */
export function readShortcutSettings(json: string | null): ShortcutSettings {
  const kept = parse(json)
  const keys = Object.entries(kept.keys ?? {}).filter(([key]) => SHORTCUT_KEYS.includes(key))
  // All keys are checked together, since two commands may have swapped their keys.
  const choice = { areOn: kept.areOn !== false, keys: Object.fromEntries(keys) }
  const used = SHORTCUT_KEYS.map((key) => currentKey(choice, key))
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

const ownId = createAtom(() => organizationStore.get()?.user_id)

/** The settings that were changed since the page was opened. */
const changed = createAtom<{ readonly ownId: number | undefined; readonly choice: ShortcutSettings } | null>(null)

const settings = createAtom((): ShortcutSettings => {
  const [id, change] = [ownId.get(), changed.get()]
  return change !== null && change.ownId === id ? change.choice : readShortcutSettings(readStored(id))
})

// Another window of the same browser may have changed the settings.
if (typeof addEventListener === 'function')
  addEventListener('storage', ({ key }) => {
    const id = ownId.get()
    if (key === null || key.startsWith(PREFIX)) changed.set({ ownId: id, choice: readShortcutSettings(readStored(id)) })
  })

const storageKeyOf = (ownId: number | undefined) => `${PREFIX}${ownId}`

/** Returns the user's shortcut settings in this browser. */
export const shortcutSettings = settings.get

function readStored(ownId: number | undefined): string | null {
  try {
    return localStorage.getItem(storageKeyOf(ownId))
  } catch {
    return null
  }
}

export function setShortcutSettings(choice: ShortcutSettings): void {
  changed.set({ ownId: ownId.get(), choice })
  try {
    localStorage.setItem(storageKeyOf(ownId.get()), JSON.stringify(choice))
  } catch {
    // Without storage, the change lasts as long as the page.
  }
}

export const useShortcutSettings = (): ShortcutSettings => useSelector(settings)
