import type { Message } from '../../store/messages/message.ts'
import { conversationOf, type Narrow } from '../../store/messages/narrow.ts'

type Place = { readonly narrow: Narrow; readonly near: number }

/** The topic or conversation of a message, at that message. */
export const conversationAt = (_: Narrow | null, message: Message | undefined, ownId: number): Place | null =>
  message === undefined ? null : { narrow: conversationOf(message, ownId), near: message.id }

/** From a topic its channel, at the same message; from elsewhere the message's topic or conversation. */
export function siblingNarrowAt(narrow: Narrow | null, message: Message | undefined, ownId: number): Place | null {
  if (message === undefined || narrow?.kind === 'direct') return null
  if (narrow?.kind !== 'topic') return conversationAt(narrow, message, ownId)
  return { narrow: { kind: 'channel', channelId: narrow.channelId }, near: message.id }
}
