import type { Message } from '../../store/messages/message.ts'
import type { MessageAction } from './message-actions.ts'

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
