import { createStore } from '../../ui/create-store.ts'
import type { ConversationRef } from './narrow.ts'
import { conversationKey } from './unread.ts'

/** What somebody types: a message that is to go to a spot, or another text for one that was sent. */
export type TypingContext = ConversationRef | { readonly kind: 'message'; readonly id: number }

const NOBODY: readonly number[] = []

const keyOf = (typed: TypingContext) => (typed.kind === 'message' ? `message ${typed.id}` : conversationKey(typed))

/** Who types what, those first who began first. */
const typists = createStore<ReadonlyMap<string, readonly number[]>>(new Map())

const timers = new Map<string, ReturnType<typeof setTimeout>>()

/** Somebody types that, or goes on to; unless that is said again within so many milliseconds, they have stopped. */
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

/** Somebody does not type that any more, or has sent it. */
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

/** Nothing is known of who types: where events may have been missed. */
export function clearTypists(): void {
  for (const timer of timers.values()) clearTimeout(timer)
  timers.clear()
  typists.set(new Map())
}

export const typistsAt = (typed: TypingContext): readonly number[] => typists.get().get(keyOf(typed)) ?? NOBODY

/** The ids of those who type that. */
export const useTypists = (typed: TypingContext): readonly number[] => typists.use().get(keyOf(typed)) ?? NOBODY
