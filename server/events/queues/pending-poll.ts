import type { Clock } from '#lib/clock.ts'
import { Deferred } from '#lib/deferred.ts'
import { type EventQueue, toEventIdJson } from './event-queue.ts'

/** Events as JSON objects joined by commas; '' when there are none. */
export type EventsJson = string

/**
 * Returns the event that a client receives when nothing happened. Its id is that of the last event that was checked for
 * the queue.
 */
export const toHeartbeat = (scannedId: number): EventsJson => `{"type":"heartbeat","id":${toEventIdJson(scannedId)}}`

export type RealmPolls = {
  /** The id of the last event that was delivered to pending polls. */
  readonly deliveredId: number
  removePoll(poll: PendingPoll): void
}

type PendingPollOptions = {
  queue: EventQueue
  scannedId: number
  realmPolls: RealmPolls
  reauthenticate: () => unknown
  /** Called once, before the poll is answered. */
  onClosed: (poll: PendingPoll) => void
}

/**
 * A poll that waits for an event. It is a class instead of a set of closures to save memory, because there are as many
 * polls as clients.
 */
export class PendingPoll {
  readonly queue: EventQueue
  readonly realmPolls: RealmPolls
  /** Throws or rejects if the credentials of the poll are no longer valid. */
  readonly reauthenticate: () => unknown
  /** The id of the last event that was checked for the queue. */
  scannedId: number
  readonly response: Deferred<EventsJson>
  readonly #onClosed: (poll: PendingPoll) => void
  #isClosed = false

  constructor({ queue, scannedId, realmPolls, reauthenticate, onClosed }: PendingPollOptions) {
    this.queue = queue
    this.scannedId = scannedId
    this.realmPolls = realmPolls
    this.reauthenticate = reauthenticate
    this.response = new Deferred(this)
    this.#onClosed = onClosed
  }

  answer(events: EventsJson): void {
    this.#close()
    this.response.settle(() => events)
  }

  sendHeartbeat(): void {
    this.answer(toHeartbeat(this.scannedId))
  }

  /** Called when the connection of the poll is lost. */
  giveUp(): void {
    this.answer('')
  }

  reject(error: unknown): void {
    this.#close()
    this.response.settle(() => {
      throw error
    })
  }

  #close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#onClosed(this)
  }
}

/** Seconds after which a poll that found nothing receives a heartbeat. */
const HEARTBEAT_INTERVAL = 50

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
