import Check from 'lucide-react/icons/check'
import type { ReactNode } from 'react'
import type { ConversationRef } from '../../../store/messages/narrow.ts'
import { useConversationName } from '../../../store/people/people.ts'
import { t } from '../../../text/t.ts'
import { IconButton } from '../../../ui/buttons/icon-button.tsx'
import { markAsRead } from '../place-menu/mark-read.ts'

/** The button that marks the unread messages of a conversation as read. */
export function MarkAsRead(props: { conversation: ConversationRef; ids: readonly number[] }): ReactNode {
  const { conversation, ids } = props
  const nameOf = useConversationName()
  const name = conversation.kind === 'direct' ? nameOf(conversation.people) : conversation.topic || t('general chat')
  return <IconButton label={t('Mark {name} as read', { name })} icon={Check} onPress={() => void markAsRead(ids)} />
}
