import { createAtom, useSelector } from '@tanstack/react-store'
import { t } from '../text/t.ts'
import { organizationStore } from './organization.ts'

/**
 * A shortcut that the user can change. Its default key identifies it. `also` has additional keys, which cannot be
 * changed.
 */
type ShortcutCommand = {
  readonly key: string
  readonly label: string
  readonly also?: readonly string[]
  /** True if the shortcut works on every page, so that the quick switcher offers it. */
  readonly isGlobal?: boolean
  /** True if the shortcut only works on the focused message. */
  readonly isOnMessage?: boolean
}

/** A shortcut whose keys are fixed. */
type FixedShortcut = { readonly keys: readonly string[]; readonly label: string }

type ShortcutSection = {
  readonly title: string
  readonly commands: readonly ShortcutCommand[]
  readonly fixed?: readonly FixedShortcut[]
}

const SECTIONS = [
  {
    title: t('Finding and reading'),
    commands: [
      { key: '/', label: t('Search'), isGlobal: true },
      { key: 'j', label: t('Next message'), also: ['↓'] },
      { key: 'k', label: t('Previous message'), also: ['↑'] },
      { key: 'J', label: t('Scroll down'), also: [t('Page down'), t('Space')] },
      { key: 'K', label: t('Scroll up'), also: [t('Page up'), t('Shift+Space')] },
      { key: 'G', label: t('Go to latest message'), also: [t('End')] },
    ],
    fixed: [
      { keys: [t('Home')], label: t('Go to first message') },
      { keys: [t('Ctrl+K')], label: t('Search or jump to…') },
      {
        keys: [t('Esc'), t('Ctrl+[')],
        label: t('Leave the compose box or a pane; from messages, go to the home view'),
      },
    ],
  },
  {
    title: t('Navigation'),
    commands: [
      { key: 'n', label: t('Next unread topic'), isGlobal: true },
      { key: 'N', label: t('Next unread followed topic'), isGlobal: true },
      { key: 'p', label: t('Next unread direct message'), isGlobal: true },
      { key: 'P', label: t('All direct messages') },
      { key: 's', label: t('Go from topic to channel, or from message to topic') },
      { key: 'z', label: t('View message in its conversation') },
      { key: 'y', label: t('Channel topics') },
      { key: 'A', label: t('Previous channel'), isGlobal: true },
      { key: 'D', label: t('Next channel'), isGlobal: true },
      { key: 'I', label: t('Inbox'), isGlobal: true },
      { key: 't', label: t('Recent'), isGlobal: true },
      { key: 'a', label: t('Combined feed'), isGlobal: true },
      { key: '*', label: t('Starred') },
      { key: 'd', label: t('Drafts'), isGlobal: true },
      { key: ',', label: t('Settings') },
    ],
    fixed: [
      { keys: [t('Alt+←')], label: t('Go back') },
      { keys: [t('Alt+→')], label: t('Go forward') },
    ],
  },
  {
    title: t('Writing'),
    commands: [
      { key: 'r', label: t('Reply'), also: [t('Enter')] },
      { key: 'R', label: t('Reply to sender only') },
      { key: '@', label: t('Reply and mention sender') },
      { key: '>', label: t('Quote message'), isOnMessage: true },
      { key: '<', label: t('Forward message'), isOnMessage: true },
      { key: 'c', label: t('New message'), isGlobal: true },
      { key: 'x', label: t('New direct message'), isGlobal: true },
    ],
    fixed: [{ keys: ['←'], label: t('Edit your last message') }],
  },
  {
    title: t('In the compose box'),
    commands: [],
    fixed: [
      { keys: [t('Ctrl+Enter')], label: t('Send, or start a new line if Enter sends') },
      { keys: [t('Shift+Enter')], label: t('Start a new line') },
      { keys: ['↑'], label: t('Edit your last message, if the box is empty') },
      { keys: [t('Ctrl+.')], label: t('Go to the conversation you’re writing to') },
      { keys: [t('Alt+P')], label: t('Preview') },
      { keys: [t("Ctrl+'")], label: t('Saved snippets') },
      { keys: [t('Ctrl+B')], label: t('Bold') },
      { keys: [t('Ctrl+I')], label: t('Italic') },
      { keys: [t('Ctrl+Shift+X')], label: t('Strikethrough') },
      { keys: [t('Ctrl+E'), t('Ctrl+Shift+C')], label: t('Code') },
      { keys: [t('Ctrl+Shift+L')], label: t('Link') },
      { keys: [t('Ctrl+Shift+7')], label: t('Numbered list') },
      { keys: [t('Ctrl+Shift+8')], label: t('List') },
      { keys: [t('Ctrl+Shift+9')], label: t('Quote') },
      { keys: [t('Ctrl+Shift+V')], label: t('Paste without formatting') },
    ],
  },
  {
    title: t('On the focused message'),
    commands: [
      { key: ':', label: t('Add reaction'), isOnMessage: true },
      { key: '+', label: t('React with 👍'), isOnMessage: true },
      { key: '=', label: t('Repeat the first reaction'), isOnMessage: true },
      { key: 'e', label: t('Edit message (or view source)'), isOnMessage: true },
      { key: 'i', label: t('Open message menu'), isOnMessage: true, also: [t('Shift+F10')] },
      { key: 'u', label: t('View sender’s profile'), isOnMessage: true },
      { key: 'v', label: t('View picture') },
      { key: 'V', label: t('View read receipts'), isOnMessage: true },
      { key: 'H', label: t('View edit history'), isOnMessage: true },
      { key: 'm', label: t('Move messages'), isOnMessage: true },
      { key: 'U', label: t('Mark as unread from here'), isOnMessage: true },
      { key: 'L', label: t('Copy link to message'), isOnMessage: true },
      { key: '-', label: t('Collapse or expand message'), isOnMessage: true },
    ],
    fixed: [{ keys: [t('Ctrl+S')], label: t('Star or unstar message') }],
  },
  {
    title: t('Topics'),
    commands: [
      { key: 'M', label: t('Mute or unmute topic') },
      { key: 'F', label: t('Follow or unfollow topic') },
    ],
  },
  {
    title: t('Panes and menus'),
    commands: [
      { key: '?', label: t('Show keyboard shortcuts'), isGlobal: true },
      { key: 'q', label: t('Filter channels'), isGlobal: true },
      { key: 'w', label: t('Filter people'), isGlobal: true },
      { key: '[', label: t('Collapse or expand sidebar'), isGlobal: true },
      { key: ']', label: t('Show or hide people') },
      { key: 'g', label: t('Open organization menu'), isGlobal: true },
      { key: '\\', label: t('Switch between light and dark theme'), isGlobal: true },
    ],
    fixed: [{ keys: [t('F6')], label: t('Go to next pane') }],
  },
  {
    title: t('In lists'),
    commands: [],
    fixed: [
      { keys: ['↑', '↓'], label: t('Previous or next row') },
      { keys: [t('Enter')], label: t('Open the row') },
      { keys: [t('Backspace')], label: t('Delete the draft') },
    ],
  },
] as const satisfies readonly ShortcutSection[]

type Command = (typeof SECTIONS)[number]['commands'][number]

/** The default key of a shortcut that the user can change. */
export type CommandKey = Command['key']

/** The shortcuts that only work on the focused message. `message-actions.ts` has an action for each. */
export type MessageKey = Extract<Command, { isOnMessage: true }>['key']

/** The other shortcuts. `use-shortcut-actions.ts` has an action for each. */
export type PageKey = Exclude<CommandKey, MessageKey>

/** All shortcuts, in sections, in the order of the shortcut list. */
export const SHORTCUT_SECTIONS: readonly ShortcutSection[] = SECTIONS

/** The shortcuts that the quick switcher offers. */
export const GLOBAL_SHORTCUTS = SECTIONS.flatMap(({ commands }) =>
  commands.flatMap((command) => ('isGlobal' in command ? [command] : [])),
)

/** All shortcuts that the user can change. */
export const SHORTCUT_COMMANDS: readonly Command[] = SECTIONS.flatMap(({ commands }): readonly Command[] => commands)

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
export function shortcutLabel(key: CommandKey): string | undefined {
  const choice = shortcutSettings()
  return choice.areOn ? keyLabel(currentKey(choice, key)) : undefined
}

/** Returns the default key of the shortcut for the pressed key; null if there is none, or if shortcuts are off. */
export function commandForKey(choice: ShortcutSettings, pressed: string): CommandKey | null {
  if (!choice.areOn) return null
  return SHORTCUT_COMMANDS.find(({ key }) => currentKey(choice, key) === pressed)?.key ?? null
}

/** Reads stored settings. Drops unknown commands. If a key is invalid or is used twice, drops all changed keys. */
export function readShortcutSettings(json: string | null): ShortcutSettings {
  const kept = parse(json)
  const keys = Object.entries(kept.keys ?? {}).filter(([key]) => isShortcut(key))
  // All keys are checked together, since two commands may have swapped their keys.
  const choice = { areOn: kept.areOn !== false, keys: Object.fromEntries(keys) }
  const used = SHORTCUT_COMMANDS.map(({ key }) => currentKey(choice, key))
  const areWell = used.every((key) => typeof key === 'string' && [...key].length === 1)
  return areWell && new Set(used).size === used.length ? choice : { ...DEFAULT_SHORTCUTS, areOn: choice.areOn }
}

const isShortcut = (key: string): boolean => SHORTCUT_COMMANDS.some((one) => one.key === key)

function parse(json: string | null): { areOn?: unknown; keys?: Record<string, string> } {
  try {
    const value: unknown = JSON.parse(json ?? '{}')
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

/** Returns the settings with the chosen key for a command, or an error message if the key cannot be used. */
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
