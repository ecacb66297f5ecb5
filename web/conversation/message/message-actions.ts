import type { Message } from '../../messages/message.ts'
import * as rights from '../../messages/rights.ts'
import { type CommandKey, type MessageKey, shortcutLabel } from '../../store/shortcuts.ts'
import { t } from '../../text/t.ts'

export type MessageAction = keyof typeof LABELS

const LABELS = {
  react: t('Add reaction'),
  reply: t('Reply'),
  quote: t('Quote message'),
  forward: t('Forward message'),
  'copy-link': t('Copy link to message'),
  'copy-text': t('Copy text'),
  'copy-markdown': t('Copy as Markdown'),
  source: t('View source'),
  history: t('View edit history'),
  reactions: t('View reactions'),
  readers: t('View read receipts'),
  edit: t('Edit message'),
  move: t('Move messages'),
  delete: t('Delete message'),
  remind: t('Remind me…'),
  unread: t('Mark as unread from here'),
  star: t('Star'),
  unstar: t('Unstar'),
  collapse: t('Collapse message'),
  expand: t('Expand message'),
} as const

export const actionLabel = (action: MessageAction): string => LABELS[action]

/** Returns the label of the current key of an action; undefined if it has none. */
export function shortcutOf(action: MessageAction): string | undefined {
  if (action === 'star' || action === 'unstar') return t('Ctrl+S')
  const known = action === 'expand' ? 'collapse' : action
  const key = MESSAGE_KEYS.find((one) => ACTIONS[one] === known)
  return key && shortcutLabel(key)
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

/** The action of each shortcut on the focused message, by its default key. */
const ACTIONS: Readonly<Record<MessageKey | 'r', KeyAction>> = {
  ':': 'react',
  '+': 'thumbs-up',
  '=': 'first-reaction',
  '>': 'quote',
  '<': 'forward',
  '-': 'collapse',
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

const MESSAGE_KEYS = Object.keys(ACTIONS) as (keyof typeof ACTIONS)[]

/**
 * Returns the action of a key on the focused message; null if there is none. `meaningOf` returns the action to which a
 * character is bound.
 */
export function actionOfKey(
  event: Key,
  message: Pick<Message, 'flags'>,
  meaningOf: (pressed: string) => CommandKey | null,
): KeyAction | null {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = event
  if (key === 'ContextMenu' || (key === 'F10' && shiftKey)) return 'menu'
  if (altKey) return null
  if (ctrlKey || metaKey) {
    if (key.toLowerCase() !== 's' || shiftKey) return null
    return message.flags.includes('starred') ? 'unstar' : 'star'
  }
  const meaning = meaningOf(key)
  const action = meaning !== null && meaning in ACTIONS ? ACTIONS[meaning as keyof typeof ACTIONS] : null
  return action === 'collapse' && message.flags.includes('collapsed') ? 'expand' : action
}
