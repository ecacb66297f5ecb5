import type { Clock } from '#lib/runtime/clock.ts'
import type { PendingPoll } from './pending-poll.ts'
import { HEARTBEAT_INTERVAL } from './queue.ts'

/** Sends a heartbeat to each poll that has waited for `HEARTBEAT_INTERVAL`. */
export type HeartbeatTimer = { add(poll: PendingPoll): void; remove(poll: PendingPoll): void }

/** Uses one timer for all polls. All polls wait equally long, so the oldest poll is the next to be answered. */
export function openHeartbeatTimer(clock: Clock): HeartbeatTimer {
  const startTimes = new Map<PendingPoll, number>()
  let cancelTimer: (() => void) | null = null

  function arm(): void {
    const { value: earliest } = startTimes.values().next()
    if (earliest !== undefined) cancelTimer ??= clock.schedule(earliest + HEARTBEAT_INTERVAL, sendDue)
  }

  function sendDue(): void {
    cancelTimer = null
    const now = clock.now()
    for (const [poll, time] of startTimes) {
      // A start in the future means that the clock was set back: such polls are due as well.
      if (time <= now && now < time + HEARTBEAT_INTERVAL) break
      poll.scannedId = Math.max(poll.scannedId, poll.realmPolls.deliveredId)
      poll.sendHeartbeat()
    }
    arm()
  }

  return {
    add(poll) {
      startTimes.set(poll, clock.now())
      arm()
    },
    remove(poll) {
      startTimes.delete(poll)
      if (startTimes.size > 0) return
      cancelTimer?.()
      cancelTimer = null
    },
  }
}
