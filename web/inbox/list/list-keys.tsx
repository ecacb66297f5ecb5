import Check from 'lucide-react/icons/check'
import { type KeyboardEvent, type ReactNode, type RefObject, useRef } from 'react'
import { markAsRead } from '../../conversation/unread-actions.ts'
import { type ConversationRef, topicTitle } from '../../messages/narrow.ts'
import { conversationKey, unreadStore, useUnreadCount } from '../../messages/unread.ts'
import { moveInPane } from '../../navigation/row-list.ts'
import { useConversationName } from '../../store/people.ts'
import { t } from '../../text/t.ts'
import { IconButton } from '../../ui/button.tsx'

/** The button that marks a conversation as read; nothing if it is read already. */
export function MarkAsRead({ conversation }: { conversation: ConversationRef }): ReactNode {
  const nameOf = useConversationName()
  if (useUnreadCount(conversation) === undefined) return null
  const name = conversation.kind === 'direct' ? nameOf(conversation.people) : topicTitle(conversation.topic)
  return (
    <IconButton
      label={t('Mark {name} as read', { name })}
      icon={Check}
      onPress={() => markConversationAsRead(conversationKey(conversation))}
    />
  )
}

/** Marks the unread messages of a conversation as read. Returns false if there are none. */
function markConversationAsRead(key: string): boolean {
  const unread = unreadStore.get().conversations.get(key)
  if (unread === undefined) return false
  void markAsRead(unread.ids)
  return true
}

/** The rows of a list, and the buttons that fold its sections. */
const STOPS = '.conversation-row, .inbox-fold'

/**
 * Returns the properties that let a list of conversations handle keys. The arrow keys, Home and End move between the
 * rows, right and left unfold and fold a section, and R marks the focused conversation as read.
 */
export function useListKeys<List extends HTMLElement>(): {
  ref: RefObject<List | null>
  onKeyDown: (event: KeyboardEvent) => void
} {
  const ref = useRef<List>(null)
  return {
    ref,
    onKeyDown(event) {
      const { current: list } = ref
      if (list === null) return
      if (event.key.toLowerCase() === 'r' && !event.ctrlKey && !event.metaKey && !event.altKey) markRow(list, event)
      else moveInPane(list, event, STOPS)
    },
  }
}

/** Marks the conversation of the focused row as read. The next row gets the focus, since this one may disappear. */
function markRow(list: HTMLElement, event: KeyboardEvent): void {
  const row = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-conversation]') : null
  if (row === null) return
  event.preventDefault()
  const rows = [...list.querySelectorAll<HTMLElement>('.conversation-row')]
  const at = rows.findIndex((link) => row.contains(link))
  if (markConversationAsRead(row.dataset['conversation'] ?? '')) (rows[at + 1] ?? rows[at - 1])?.focus()
}
