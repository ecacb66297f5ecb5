import type { Message } from '../../messages/message.ts'
import * as rights from '../../messages/rights.ts'
import { shortcutLabel } from '../../store/shortcut-keys.ts'
import { t } from '../../text/t.ts'

export type MessageAction = keyof typeof LABELS

/** The label of each action, and its default key on the focused message. */
const LABELS = {
  react: [t('Add reaction'), ':'],
  reply: [t('Reply'), 'r'],
  quote: [t('Quote message'), '>'],
  forward: [t('Forward message'), '<'],
  'copy-link': [t('Copy link to message'), 'L'],
  'copy-text': [t('Copy text'), null],
  'copy-markdown': [t('Copy as Markdown'), null],
  source: [t('View source'), null],
  history: [t('View edit history'), 'H'],
  reactions: [t('View reactions'), null],
  readers: [t('View read receipts'), 'V'],
  edit: [t('Edit message'), 'e'],
  move: [t('Move messages'), 'm'],
  delete: [t('Delete message'), null],
  remind: [t('Remind me…'), null],
  unread: [t('Mark as unread from here'), 'U'],
  star: [t('Star'), 'Ctrl+S'],
  unstar: [t('Unstar'), 'Ctrl+S'],
  collapse: [t('Collapse message'), '-'],
  expand: [t('Expand message'), '-'],
} as const satisfies Record<string, readonly [label: string, key: string | null]>

export const actionLabel = (action: MessageAction): string => LABELS[action][0]

/** Returns the current key of an action; null if it has none. */
export function shortcutOf(action: MessageAction): string | null {
  const key = LABELS[action][1]
  if (key === null || key.length > 1) return key
  return shortcutLabel(key) ?? null
}

type MessageActionGroup = {
  readonly name: string
  readonly actions: readonly MessageAction[]
  /** True for the actions that the menu shows only after "More". */
  readonly isMore: boolean
}

const MORE = t('More')

/** Returns the actions that the user may use now, in the groups of the menu. `now` is in UNIX seconds. */
export function messageActions(rules: rights.MessageRules, message: Message, now: number): MessageActionGroup[] {
  const canChange = rights.isConversationOpen(rules, message)
  const mayMove = rights.mayMoveToTopic(rules, message, now) || rights.mayMoveToChannel(rules, message, now)
  const groups: Record<string, [MessageAction, boolean][]> = {
    [t('Reply')]: [
      ['react', canChange],
      ['reply', canChange],
      ['quote', canChange],
      ['forward', true],
    ],
    [t('Edit')]: [
      ['edit', canChange && rights.mayEdit(rules, message, now)],
      ['move', canChange && mayMove],
      ['delete', canChange && rights.mayDelete(rules, message, now)],
    ],
    [t('Copy')]: [
      ['copy-link', true],
      ['copy-text', true],
    ],
    [t('Mark')]: [
      ['unread', rights.mayMarkUnread(rules, message)],
      [message.flags.includes('starred') ? 'unstar' : 'star', true],
      ['remind', true],
    ],
    [MORE]: [
      ['reactions', message.reactions.length > 0],
      ['readers', rules.realm_enable_read_receipts],
      ['history', rights.maySeeHistory(rules, message)],
      [message.flags.includes('collapsed') ? 'expand' : 'collapse', true],
      ['source', true],
      ['copy-markdown', true],
    ],
  }
  return Object.entries(groups)
    .map(([name, actions]) => ({
      name,
      isMore: name === MORE,
      actions: actions.filter(([, isOffered]) => isOffered).map(([action]) => action),
    }))
    .filter(({ actions }) => actions.length > 0)
}

/** Returns true if the user may use the action on the message now. */
export const isActionAvailable = (
  action: MessageAction,
  rules: rights.MessageRules,
  message: Message,
  now: number,
): boolean => messageActions(rules, message, now).some(({ actions }) => actions.includes(action))

type Key = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>

/**
 * The action of a key on a message: a message action, the menu, the sender's card, or a reaction without the picker.
 */
type KeyAction = MessageAction | 'menu' | 'person' | 'thumbs-up' | 'first-reaction'

const LETTERS: Readonly<Record<string, KeyAction>> = {
  ':': 'react',
  '+': 'thumbs-up',
  '=': 'first-reaction',
  '>': 'quote',
  '<': 'forward',
  e: 'edit',
  H: 'history',
  i: 'menu',
  m: 'move',
  r: 'reply',
  L: 'copy-link',
  u: 'person',
  U: 'unread',
  V: 'readers',
}

/**
 * Returns the action of a key on the focused message; null if there is none. `meaningOf` returns the action to which a
 * character is bound.
 */
export function actionOfKey(
  event: Key,
  message: Pick<Message, 'flags'>,
  meaningOf: (pressed: string) => string | null,
): KeyAction | null {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = event
  if (key === 'ContextMenu' || (key === 'F10' && shiftKey)) return 'menu'
  if (altKey) return null
  if (ctrlKey || metaKey) {
    if (key.toLowerCase() !== 's' || shiftKey) return null
    return message.flags.includes('starred') ? 'unstar' : 'star'
  }
  const meaning = meaningOf(key) ?? ''
  if (meaning === '-') return message.flags.includes('collapsed') ? 'expand' : 'collapse'
  return LETTERS[meaning] ?? null
}
