import type { Clock } from '../../platform/runtime/clock.ts'
import type { Log } from '../../platform/runtime/log.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { saveProgress } from './queries.ts'
import type { EventQueue } from './queue.ts'

/** Seconds after which the progress of clients is written. */
const WRITE_DELAY = 1

type ProgressWriterOptions = {
  storage: Pick<Storage, 'transaction' | 'isWritable'>
  clock: Clock
  log: Log
  /** Failed writes are repeated for queues that still exist. */
  exists: (queue: EventQueue) => boolean
}

/** Writes which events clients have acknowledged, and when they polled, a second later and for many queues at once. */
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
      // The next write includes them.
      for (const queue of queues) if (exists(queue)) this.#changed.add(queue)
    }
  }

  #stopTimer(): void {
    this.#cancelWrite?.()
    this.#cancelWrite = null
  }
}
