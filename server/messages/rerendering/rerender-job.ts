import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Job } from '#lib/jobs/job.ts'
import { openPeriodicTask } from '#lib/jobs/periodic-task.ts'
import type { Clock } from '#lib/runtime/clock.ts'
import type { Log } from '#lib/runtime/log.ts'
import type { Db, RunTransaction } from '#storage/storage.ts'
import type { Message } from '../message.ts'
import { isOutdated, type Rerendering, rerenderMessage, saveRerendering } from './rerender-message.ts'

/** The maximum number of queued messages. Other messages are queued when they are read the next time. */
const MAX_QUEUED = 10_000

/** The maximum number of messages that are saved in one transaction. */
const BATCH_SIZE = 20

/**
 * Renders outdated messages again after they have been read, one at a time. A message is outdated if an older renderer
 * produced its HTML.
 */
export type RerenderJob = Job & {
  /** Queues those of the messages that are outdated. Does not delay the caller, who is reading them. */
  rerenderOutdated(messages: readonly Pick<Message, 'id' | 'renderedVersion'>[]): void
}

type Parts = { db: Db; transaction: RunTransaction; clock: Clock; log: Log }

export function openRerenderJob({ db, transaction, clock, log }: Parts): RerenderJob {
  const queued = new Set<number>()
  /** Messages that could not be rendered. They keep their HTML, and are not rendered again each time they are read. */
  const failedIds = new Set<number>()
  const {
    run: round,
    stop,
    isStopped,
    failingSince,
  } = openPeriodicTask({
    clock,
    work: rerenderAll,
    onFailure: (error) => log.error({ err: error }, 'Failed to render outdated messages again'),
  })

  async function rerenderAll(): Promise<null> {
    while (queued.size > 0 && !isStopped()) {
      const rerenderings = await rerenderBatch(queued.values().take(BATCH_SIZE).toArray())
      await transaction(async (tx) => {
        for (const rerendering of rerenderings) await saveRerendering(tx, rerendering)
      })
    }
    return null
  }

  async function rerenderBatch(ids: readonly number[]): Promise<Rerendering[]> {
    const rerenderings: Rerendering[] = []
    for (const id of ids) {
      await yieldToEventLoop()
      queued.delete(id)
      const rerendering = await rerenderMessage(db, id)
      if (rerendering === null) addFailure(id)
      else rerenderings.push(rerendering)
    }
    return rerenderings
  }

  function addFailure(id: number): void {
    if (failedIds.size >= MAX_QUEUED) failedIds.clear()
    failedIds.add(id)
  }

  return {
    rerenderOutdated(messages) {
      for (const message of messages) {
        if (!isOutdated(message) || failedIds.has(message.id) || queued.size >= MAX_QUEUED) continue
        queued.add(message.id)
      }
      if (queued.size > 0) void round()
    },
    wake: () => void round(),
    settled: round,
    close: stop,
    failingSince,
  }
}
