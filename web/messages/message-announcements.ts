import { createAtom, useSelector } from '@tanstack/react-store'
import { t } from '../text/t.ts'
import type { Message } from './message.ts'

/** The time for which new messages are collected before they are announced, in milliseconds. */
const PAUSE = 5000

const arrived = new Map<string, number>()
const announcement = createAtom('')

/**
 * Announces a new message in the conversation to screen readers, within `PAUSE` and together with other new messages.
 */
export function announceMessage(conversation: string): void {
  if (arrived.size === 0) setTimeout(speak, PAUSE)
  arrived.set(conversation, (arrived.get(conversation) ?? 0) + 1)
}

function speak(): void {
  const parts = [...arrived].map(([conversation, count]) =>
    t('{count, plural, one {# new message} other {# new messages}} in {conversation}', { count, conversation }),
  )
  announcement.set(parts.join(', '))
  arrived.clear()
}

/** Returns the text for screen readers. */
export const useAnnouncement = (): string => useSelector(announcement)

type Listener = (message: Message) => void
type DeletionListener = (ids: ReadonlySet<number>) => void

const listeners = new Set<Listener>()

/** Calls the listener for each new message of another user. Returns a function that stops this. */
export function onMessageArrived(listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

const deletionListeners = new Set<DeletionListener>()

/** Calls the listener before deleted messages disappear. Returns a function that stops this. */
export function onMessagesDeleted(listener: DeletionListener): () => void {
  deletionListeners.add(listener)
  return () => void deletionListeners.delete(listener)
}

export function emitMessagesDeleted(ids: ReadonlySet<number>): void {
  for (const listener of deletionListeners) listener(ids)
}

export function emitMessageArrived(message: Message): void {
  for (const listener of listeners) listener(message)
}
