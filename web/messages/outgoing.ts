import { createAtom, shallow, useSelector } from '@tanstack/react-store'
import type { ConversationRef, Narrow } from './narrow.ts'
import { conversationKey } from './unread.ts'

/** A message that the user has sent. The server has not confirmed it yet, or has only just confirmed it. */
export type OutgoingMessage = {
  /** A UUID. With it, the server recognizes a message that is sent again. */
  readonly localId: string
  readonly conversation: ConversationRef
  readonly text: string
  /**
   * The time at which the user sent the message, in UNIX milliseconds. It is unique, because messages are sorted by it.
   */
  readonly writtenAt: number
  /** The id of the message after the server has confirmed it. */
  readonly sentId: number | null
  /** The reason why the message is not sent; null while it is being sent or will be sent. */
  readonly failure: string | null
}

/** The outgoing messages, sorted by the time at which the user sent them. */
export const outgoing = createAtom<readonly OutgoingMessage[]>([])

/** True while sending waits because the server cannot be reached or limits the rate. */
export const isSendingPaused = createAtom(false)

const inOrder = (messages: readonly OutgoingMessage[]) =>
  messages.toSorted((one, other) => one.writtenAt - other.writtenAt)

export const addOutgoing = (message: OutgoingMessage): void =>
  outgoing.set(inOrder([...outgoing.get().filter(({ localId }) => localId !== message.localId), message]))

/** Changes a message. Returns the changed message; null if the message no longer exists. */
export function changeOutgoing(localId: string, change: Partial<OutgoingMessage>): OutgoingMessage | null {
  const known = findOutgoing(localId)
  if (known === undefined) return null
  const changed = { ...known, ...change }
  outgoing.set(outgoing.get().map((one) => (one === known ? changed : one)))
  return changed
}

export const removeOutgoing = (localId: string): void =>
  outgoing.set(outgoing.get().filter((one) => one.localId !== localId))

/** Removes messages that the server has saved under these ids: they were deleted or moved, so no timeline has them here. */
export function removeSent(ids: readonly number[]): void {
  const isSent = ({ sentId }: OutgoingMessage) => sentId !== null && ids.includes(sentId)
  if (outgoing.get().some(isSent)) outgoing.set(outgoing.get().filter((one) => !isSent(one)))
}

export const findOutgoing = (localId: string): OutgoingMessage | undefined =>
  outgoing.get().find((one) => one.localId === localId)

/** Returns the next message to send; undefined if there is none. */
export const nextOutgoing = (): OutgoingMessage | undefined =>
  outgoing.get().find(({ sentId, failure }) => sentId === null && failure === null)

function isIn(narrow: Narrow, { conversation, sentId }: OutgoingMessage): boolean {
  switch (narrow.kind) {
    case 'combined':
      return true
    case 'direct-messages':
      return conversation.kind === 'direct'
    case 'channel':
      return conversation.kind === 'topic' && conversation.channelId === narrow.channelId
    case 'topic':
    case 'direct':
      return conversationKey(narrow) === conversationKey(conversation)
    default:
      return sentId === null
  }
}

/**
 * Returns the outgoing messages of a narrow. Feeds to which a new message does not belong, such as mentions, have those
 * that are not sent yet: the user may have written them there.
 */
export const useOutgoing = (narrow: Narrow): readonly OutgoingMessage[] =>
  useSelector(outgoing, (all) => all.filter((one) => isIn(narrow, one)), { compare: shallow })
