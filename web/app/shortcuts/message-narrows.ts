import type { Message } from '../../store/messages/message.ts'
import { conversationOf, type Narrow } from '../../store/messages/narrow.ts'

type NarrowPosition = { readonly narrow: Narrow; readonly near: number }

/** Returns the message's conversation, opened at the message; null without a message. */
export const conversationAt = (_: Narrow | null, message: Message | undefined, ownId: number): NarrowPosition | null =>
  message === undefined ? null : { narrow: conversationOf(message, ownId), near: message.id }

/** Returns the channel if the narrow is a topic, and the message's conversation otherwise. Both open at the message. */
export function siblingNarrowAt(
  narrow: Narrow | null,
  message: Message | undefined,
  ownId: number,
): NarrowPosition | null {
  if (message === undefined || narrow?.kind === 'direct') return null
  if (narrow?.kind !== 'topic') return conversationAt(narrow, message, ownId)
  return { narrow: { kind: 'channel', channelId: narrow.channelId }, near: message.id }
}
