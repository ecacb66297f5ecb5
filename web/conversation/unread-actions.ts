import { useSelector } from '@tanstack/react-store'
import CheckCheck from 'lucide-react/icons/check-check'
import Mail from 'lucide-react/icons/mail'
import { useCallback } from 'react'
import { markRead, markUnread, markUnreadFrom } from '../messages/mark-read.ts'
import { TopicPolicy } from '../messages/message.ts'
import { type ConversationRef, isSameTopic, type Narrow, topicPolicy } from '../messages/narrow.ts'
import { conversationKey, isTopicMuted, type Unread, type UnreadConversation, unreadStore } from '../messages/unread.ts'
import { useCurrentNarrow } from '../navigation/narrow-location.ts'
import { toAppError } from '../store/app-error.ts'
import { useOrganization, useOwnId } from '../store/organization.ts'
import { t } from '../text/t.ts'
import type { MenuAction } from '../ui/menu.tsx'
import { showToast } from '../ui/toasts.ts'

/**
 * Returns the action that marks all messages of the matching conversations as read. If no message is unread, returns
 * the action that marks the messages of `conversation` as unread.
 */
export function useMarkReadActions(matches: (ref: ConversationRef) => boolean, conversation: Narrow): MenuAction[] {
  const ownId = useOwnId()
  const unreadHere = ({ conversations }: Unread) =>
    [...conversations.values()].filter(({ conversation }) => matches(conversation))
  const isUnread = useSelector(unreadStore, (unread) => unreadHere(unread).length > 0)
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

/** The kind of conversation that the user wants to read next: any topic, a followed topic, or direct messages. */
export type UnreadKind = ConversationRef['kind'] | 'followed'

/** Returns a function that finds another conversation with unread messages: the one with the oldest unread message. */
export function useNextUnread(): (kind: UnreadKind) => ConversationRef | null {
  const { subscriptions, user_topics } = useOrganization('subscriptions', 'user_topics')
  const current = useCurrentNarrow()
  return useCallback(
    (kind) => {
      const isMuted = isTopicMuted.get()
      const channelIds = new Set(subscriptions.map(({ stream_id }) => stream_id))
      const here = current?.kind === 'topic' || current?.kind === 'direct' ? conversationKey(current) : ''
      const isWanted = ({ conversation: ref }: UnreadConversation) =>
        ref.kind === (kind === 'followed' ? 'topic' : kind) &&
        (kind !== 'followed' ||
          (ref.kind === 'topic' && topicPolicy(user_topics, ref.channelId, ref.topic) === TopicPolicy.followed)) &&
        conversationKey(ref) !== here &&
        (ref.kind === 'direct' || (channelIds.has(ref.channelId) && !isMuted(ref.channelId, ref.topic)))
      const waiting = [...unreadStore.get().conversations.values()].filter(isWanted)
      return waiting.sort((one, other) => one.ids[0]! - other.ids[0]!)[0]?.conversation ?? null
    },
    [subscriptions, user_topics, current],
  )
}
