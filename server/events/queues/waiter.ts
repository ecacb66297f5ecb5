import { Late } from '../../platform/runtime/late.ts'
import { type EventQueue, toEventId } from './queue.ts'

/** Events as JSON objects joined by commas; '' when there is none. */
export type EventsJson = string

/** What tells a client that its queue is there although nothing happens: up to where the log was looked through for it. */
export const toHeartbeat = (considered: number): EventsJson => `{"type":"heartbeat","id":${toEventId(considered)}}`

/** Those who wait in an organization. */
export type Waiting = {
  /** Up to where they were told what is in the log for them. */
  readonly toldId: number
  /** By account. */
  readonly waiters: Map<number, readonly Waiter[]>
}

type Options = {
  queue: EventQueue
  considered: number
  waiting: Waiting
  reauthenticate: () => unknown
  /** Called once, before it is answered. */
  onOver: (waiter: Waiter) => void
}

/** A poll that found nothing yet. An object rather than closures, since there are as many as clients. */
export class Waiter {
  readonly queue: EventQueue
  readonly waiting: Waiting
  readonly reauthenticate: () => unknown
  /** Up to where the log was looked through for it. */
  considered: number
  /** What it is answered. */
  readonly events: Late<EventsJson>
  readonly #onOver: (waiter: Waiter) => void
  #isOver = false

  constructor({ queue, considered, waiting, reauthenticate, onOver }: Options) {
    this.queue = queue
    this.considered = considered
    this.waiting = waiting
    this.reauthenticate = reauthenticate
    this.events = new Late(this)
    this.#onOver = onOver
  }

  answer(events: EventsJson): void {
    this.#end()
    this.events.settle(() => events)
  }

  answerHeartbeat(): void {
    this.answer(toHeartbeat(this.considered))
  }

  /** Nobody waits for it any more. */
  giveUp(): void {
    this.answer('')
  }

  refuse(error: unknown): void {
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
