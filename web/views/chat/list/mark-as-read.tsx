import Check from 'lucide-react/icons/check'
import type { ReactNode } from 'react'
import type { ConversationRef } from '../../../store/messages/narrow.ts'
import { topicTitle } from '../../../store/messages/topic-title.ts'
import { conversationKey } from '../../../store/messages/unread.ts'
import { unreadStore, useUnreadCount } from '../../../store/messages/unread-messages.ts'
import { useConversationName } from '../../../store/people/people.ts'
import { t } from '../../../text/t.ts'
import { IconButton } from '../../../ui/buttons/icon-button.tsx'
import { markAsRead } from '../conversation-menus/mark-read.ts'

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
export function markConversationAsRead(key: string): boolean {
  const unread = unreadStore.get().conversations.get(key)
  if (unread === undefined) return false
  void markAsRead(unread.ids)
  return true
}
