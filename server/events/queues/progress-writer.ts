import type { Clock } from '#lib/clock.ts'
import type { Log } from '#lib/log.ts'
import type { Storage } from '#storage/storage.ts'
import type { EventQueue } from './event-queue.ts'
import { saveProgress } from './queries.ts'

/** Seconds between a poll and the write of the client's progress. */
const WRITE_DELAY = 1

type ProgressWriterOptions = {
  storage: Pick<Storage, 'transaction' | 'isWritable'>
  clock: Clock
  log: Log
  /** Returns true if the queue still exists. A failed write is repeated only for such queues. */
  exists: (queue: EventQueue) => boolean
}

/**
 * Writes the progress of clients: the last acknowledged event and the time of the last poll of each queue. It waits a
 * second, so that one statement writes the progress of many queues.
 */
export class ProgressWriter {
  readonly #options: ProgressWriterOptions
  #changed = new Set<EventQueue>()
  #cancelWrite: (() => void) | null = null

  constructor(options: ProgressWriterOptions) {
    this.#options = options
  }

  /** Records that the client polled just now. */
  record(queue: EventQueue): void {
    const { clock } = this.#options
    queue.polledAt = clock.now()
    this.#changed.add(queue)
    this.#cancelWrite ??= clock.schedule(clock.now() + WRITE_DELAY, () => this.write())
  }

  drop(queue: EventQueue): void {
    this.#changed.delete(queue)
  }

  clear(): void {
    this.#stopTimer()
    this.#changed = new Set()
  }

  async write(): Promise<void> {
    this.#stopTimer()
    const { storage, log, exists } = this.#options
    const queues = [...this.#changed]
    this.#changed = new Set()
    if (queues.length === 0) return
    try {
      await storage.transaction((tx) => saveProgress(tx, queues))
    } catch (error) {
      if (storage.isWritable()) log.error({ err: error }, 'The progress of event queues could not be written')
      // The next write includes these queues.
      for (const queue of queues) if (exists(queue)) this.#changed.add(queue)
    }
  }

  #stopTimer(): void {
    this.#cancelWrite?.()
    this.#cancelWrite = null
  }
}
