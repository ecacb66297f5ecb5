import { createAtom, useSelector } from '@tanstack/react-store'
import type { ConversationRef } from './narrow.ts'
import { conversationKey } from './unread.ts'

/** The target of a typing user: a conversation, or a message being edited. */
export type TypingContext = ConversationRef | { readonly kind: 'message'; readonly id: number }

const NOBODY: readonly number[] = []

const keyOf = (typed: TypingContext) => (typed.kind === 'message' ? `message ${typed.id}` : conversationKey(typed))

/** Typing users by target, in the order in which they started. */
const typists = createAtom<ReadonlyMap<string, readonly number[]>>(new Map())

const timers = new Map<string, ReturnType<typeof setTimeout>>()

/** Adds a typing user. They are removed after `lifetime` milliseconds unless they are added again. */
export function addTypist(typed: TypingContext, userId: number, lifetime: number): void {
  const key = keyOf(typed)
  const timer = `${key} ${userId}`
  clearTimeout(timers.get(timer))
  timers.set(
    timer,
    setTimeout(() => removeTypist(typed, userId), lifetime),
  )
  const known = typists.get().get(key) ?? NOBODY
  if (!known.includes(userId)) typists.set(new Map(typists.get()).set(key, [...known, userId]))
}

/** Removes a user who stopped typing or sent the message. */
export function removeTypist(typed: TypingContext, userId: number): void {
  const key = keyOf(typed)
  const timer = `${key} ${userId}`
  clearTimeout(timers.get(timer))
  timers.delete(timer)
  const known = typists.get().get(key) ?? NOBODY
  if (!known.includes(userId)) return
  const others = known.filter((id) => id !== userId)
  const next = new Map(typists.get())
  if (others.length === 0) next.delete(key)
  else next.set(key, others)
  typists.set(next)
}

/** Removes all typing users, since events may have been missed. */
export function clearTypists(): void {
  for (const timer of timers.values()) clearTimeout(timer)
  timers.clear()
  typists.set(new Map())
}

export const typistsAt = (typed: TypingContext): readonly number[] => typists.get().get(keyOf(typed)) ?? NOBODY

/** Returns the ids of the users who are typing in the conversation or editing the message. */
export const useTypists = (typed: TypingContext): readonly number[] =>
  useSelector(typists, (known) => known.get(keyOf(typed)) ?? NOBODY)
