import { Deferred } from '../../platform/runtime/deferred.ts'
import { type EventQueue, toEventId } from './queue.ts'

/** Events as JSON objects joined by commas; '' when there is none. */
export type EventsJson = string

/** What tells a client that its queue is there although nothing happens: up to where the log was looked through for it. */
export const toHeartbeat = (considered: number): EventsJson => `{"type":"heartbeat","id":${toEventId(considered)}}`

/** Those who wait in an organization. */
export type RealmPolls = {
  /** Up to where they were told what is in the log for them. */
  readonly toldId: number
  /** By account. */
  readonly pollsByUser: Map<number, readonly PendingPoll[]>
}

type Options = {
  queue: EventQueue
  considered: number
  waiting: RealmPolls
  reauthenticate: () => unknown
  /** Called once, before it is answered. */
  onOver: (waiter: PendingPoll) => void
}

/** A poll that found nothing yet. An object rather than closures, since there are as many as clients. */
export class PendingPoll {
  readonly queue: EventQueue
  readonly realmPolls: RealmPolls
  readonly reauthenticate: () => unknown
  /** Up to where the log was looked through for it. */
  scannedId: number
  /** What it is answered. */
  readonly events: Deferred<EventsJson>
  readonly #onOver: (waiter: PendingPoll) => void
  #isOver = false

  constructor({ queue, considered, waiting, reauthenticate, onOver }: Options) {
    this.queue = queue
    this.scannedId = considered
    this.realmPolls = waiting
    this.reauthenticate = reauthenticate
    this.events = new Deferred(this)
    this.#onOver = onOver
  }

  answer(events: EventsJson): void {
    this.#end()
    this.events.settle(() => events)
  }

  sendHeartbeat(): void {
    this.answer(toHeartbeat(this.scannedId))
  }

  /** Nobody waits for it any more. */
  giveUp(): void {
    this.answer('')
  }

  reject(error: unknown): void {
    this.#end()
    this.events.settle(() => {
      throw error
    })
  }

  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#onOver(this)
  }
}
