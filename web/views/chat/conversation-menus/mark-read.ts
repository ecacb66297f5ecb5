import CheckCheck from 'lucide-react/icons/check-check'
import Mail from 'lucide-react/icons/mail'
import { toAppError } from '../../../store/app-error.ts'
import { markRead, markUnread, markUnreadFrom } from '../../../store/messages/mark-read.ts'
import { type ConversationRef, isSameTopic, type Narrow } from '../../../store/messages/narrow.ts'
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
    return [{ label: t('Mark all as unread'), icon: Mail, run: () => void markAsUnread(conversation, null, ownId) }]
  const run = () => void markAsRead(unreadHere(unreadStore.get()).flatMap(({ ids }) => ids))
  return [{ label: t('Mark all as read'), icon: CheckCheck, run }]
}

/** Marks messages as read; a toast offers to undo it. */
export async function markAsRead(ids: readonly number[]): Promise<void> {
  try {
    await markRead(ids)
    showToast(t('{count, plural, one {# message} other {# messages}} marked as read', { count: ids.length }), {
      undo: () => void orShowError(markUnread(ids)),
    })
  } catch (error) {
    showToast(t('Couldn’t mark messages as read. {message}', { message: toAppError(error).message }), { kind: 'error' })
  }
}

/**
 * Marks the messages of a channel or conversation as unread, from the message `id` on, or all of them if it is null. A
 * toast offers to undo it, which leaves messages alone that were unread before or came later.
 */
export async function markAsUnread(narrow: Narrow, id: number | null, ownId: number): Promise<void> {
  const before = new Set(unreadIn(narrow))
  const isMarked = (one: number, last: number) => !before.has(one) && one >= (id ?? 0) && one <= last
  try {
    const last = await markUnreadFrom(narrow, id, ownId)
    const undo = () => void orShowError(markRead(unreadIn(narrow).filter((one) => isMarked(one, last))))
    showToast(t('Marked as unread'), { undo })
  } catch (error) {
    showToast(toAppError(error).message, { kind: 'error' })
  }
}

const unreadIn = (narrow: Narrow): number[] =>
  [...unreadStore.get().conversations.values()].flatMap(({ conversation, ids }) =>
    isIn(narrow, conversation) ? ids : [],
  )

function isIn(narrow: Narrow, conversation: ConversationRef): boolean {
  if (narrow.kind === 'direct')
    return conversation.kind === 'direct' && String(conversation.people) === String(narrow.people)
  if (conversation.kind !== 'topic' || (narrow.kind !== 'topic' && narrow.kind !== 'channel')) return false
  const isInChannel = conversation.channelId === narrow.channelId
  return isInChannel && (narrow.kind === 'channel' || isSameTopic(conversation.topic, narrow.topic))
}

async function orShowError(work: Promise<void>): Promise<void> {
  try {
    await work
  } catch (error) {
    showToast(toAppError(error).message, { kind: 'error' })
  }
}
