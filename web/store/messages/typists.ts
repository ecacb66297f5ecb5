import { cell } from '../cell.ts'
import type { Spot } from './narrow.ts'
import { keyOfSpot } from './unread.ts'

const NOBODY: readonly number[] = []

/** Who types at each spot, those first who began first. */
const typists = cell<ReadonlyMap<string, readonly number[]>>(new Map())

const timers = new Map<string, ReturnType<typeof setTimeout>>()

/** Somebody types at the spot, or goes on to; unless that is said again within so many milliseconds, they have stopped. */
export function noteTyping(spot: Spot, userId: number, lifetime: number): void {
  const key = keyOfSpot(spot)
  const timer = `${key} ${userId}`
  clearTimeout(timers.get(timer))
  timers.set(
    timer,
    setTimeout(() => endTyping(spot, userId), lifetime),
  )
  const known = typists.get().get(key) ?? NOBODY
  if (!known.includes(userId)) typists.set(new Map(typists.get()).set(key, [...known, userId]))
}

/** Somebody does not type at the spot any more, or has sent what they typed. */
export function endTyping(spot: Spot, userId: number): void {
  const key = keyOfSpot(spot)
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
export function forgetTypists(): void {
  for (const timer of timers.values()) clearTimeout(timer)
  timers.clear()
  typists.set(new Map())
}

export const typistsAt = (spot: Spot): readonly number[] => typists.get().get(keyOfSpot(spot)) ?? NOBODY

/** The ids of those who type at the spot. */
export const useTypists = (spot: Spot): readonly number[] => typists.use().get(keyOfSpot(spot)) ?? NOBODY
