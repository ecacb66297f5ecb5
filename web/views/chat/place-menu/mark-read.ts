import { toAppError } from '../../../store/app-error.ts'
import { markRead, markUnread } from '../../../store/messages/mark-read.ts'
import type { ConversationRef } from '../../../store/messages/narrow.ts'
import type { Unread } from '../../../store/messages/unread.ts'
import { t } from '../../../text/t.ts'
import { showToast } from '../../../ui/feedback/toasts.ts'
import type { RowAction } from '../../../ui/table/row-menu.tsx'

/** Returns the action that marks all messages of matching conversations as read; nothing if they are. */
export function markReadActions(
  { conversations: refs }: Unread,
  matches: (ref: ConversationRef) => boolean,
): RowAction[] {
  const ids = [...refs.values()].filter(({ conversation: spot }) => matches(spot)).flatMap((one) => one.ids)
  return ids.length === 0 ? [] : [{ label: t('Mark all as read'), run: () => void markAsRead(ids) }]
}

/** Marks messages as read, with an undo. */
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

async function undo(ids: readonly number[]): Promise<void> {
  try {
    await markUnread(ids)
  } catch (error) {
    showToast(toAppError(error).message, { kind: 'error' })
  }
}
