import CheckCheck from 'lucide-react/icons/check-check'
import Mail from 'lucide-react/icons/mail'
import { toAppError } from '../../../store/app-error.ts'
import { markRead, markUnread, markUnreadFrom } from '../../../store/messages/mark-read.ts'
import type { ConversationRef, Narrow } from '../../../store/messages/narrow.ts'
import type { Unread } from '../../../store/messages/unread.ts'
import { unreadStore } from '../../../store/messages/unread-messages.ts'
import { useOwnId } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { showToast } from '../../../ui/feedback/toasts.ts'
import type { MenuAction } from '../../../ui/menu/menu-actions.tsx'

/**
 * Returns the action that marks all messages of the matching conversations as read. If no message is unread, returns
 * the action that marks the messages of `conversation` as unread.
 */
export function useMarkReadActions(matches: (ref: ConversationRef) => boolean, conversation: Narrow): MenuAction[] {
  const ownId = useOwnId()
  const unreadHere = ({ conversations }: Unread) =>
    [...conversations.values()].filter(({ conversation }) => matches(conversation))
  const isUnread = unreadStore.usePart((unread) => unreadHere(unread).length > 0)
  if (!isUnread)
    return [{ label: t('Mark all as unread'), icon: Mail, run: () => void markAllAsUnread(conversation, ownId) }]
  const run = () => void markAsRead(unreadHere(unreadStore.get()).flatMap(({ ids }) => ids))
  return [{ label: t('Mark all as read'), icon: CheckCheck, run }]
}

/** Marks messages as read; a toast offers to undo it. */
export async function markAsRead(ids: readonly number[]): Promise<void> {
  try {
    await markRead(ids)
    showToast(t('{count, plural, one {# message} other {# messages}} marked as read', { count: ids.length }), {
      undo: () => void undo(ids),
    })
  } catch (error) {
    showToast(t('Couldn’t mark messages as read. {message}', { message: toAppError(error).message }), { kind: 'error' })
  }
}

async function markAllAsUnread(conversation: Narrow, ownId: number): Promise<void> {
  try {
    await markUnreadFrom(conversation, null, ownId)
    showToast(t('Marked as unread'))
  } catch (error) {
    showToast(toAppError(error).message, { kind: 'error' })
  }
}

async function undo(ids: readonly number[]): Promise<void> {
  try {
    await markUnread(ids)
  } catch (error) {
    showToast(toAppError(error).message, { kind: 'error' })
  }
}
