import type { Clock } from '../../platform/runtime/clock.ts'
import type { PendingPoll } from './pending-poll.ts'
import { HEARTBEAT_INTERVAL } from './queue.ts'

/** Answers a heartbeat to whoever has waited for so long. */
export type HeartbeatTimer = { add(waiter: PendingPoll): void; remove(waiter: PendingPoll): void }

/** One timer for all: as everybody waits equally long, whoever came first is the next to be answered. */
export function openHeartbeatTimer(clock: Clock): HeartbeatTimer {
  const cameAt = new Map<PendingPoll, number>()
  let cancelTimer: (() => void) | null = null

  function arm(): void {
    const { value: earliest } = cameAt.values().next()
    if (earliest !== undefined) cancelTimer ??= clock.schedule(earliest + HEARTBEAT_INTERVAL, answerThoseDue)
  }

  function answerThoseDue(): void {
    cancelTimer = null
    const now = clock.now()
    for (const [waiter, time] of cameAt) {
      // Whoever came at a time that is yet to be is due as well: the clock was set back.
      if (time <= now && now < time + HEARTBEAT_INTERVAL) break
      waiter.scannedId = Math.max(waiter.scannedId, waiter.realmPolls.toldId)
      waiter.sendHeartbeat()
    }
    arm()
  }

  return {
    add(waiter) {
      cameAt.set(waiter, clock.now())
      arm()
    },
    remove(waiter) {
      cameAt.delete(waiter)
      if (cameAt.size > 0) return
      cancelTimer?.()
      cancelTimer = null
    },
  }
}
