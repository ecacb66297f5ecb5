import { setImmediate as othersFirst } from 'node:timers/promises'
import { openPeriodicTask } from '../../platform/jobs/periodic-task.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import type { Log } from '../../platform/runtime/log.ts'
import type { Db, RunTransaction } from '../../platform/storage/storage.ts'
import type { Message } from '../message.ts'
import { isOutdated, type Rerendering, rerenderMessage, saveRerendering } from './rerender-message.ts'

/** Messages that wait at most; whoever reads others later brings them back. */
const MAX_WAITING = 10_000

/** Messages that are stored in one transaction. */
const AT_ONCE = 20

/** Renders anew what an older renderer made, once somebody reads it, one message after the other. */
export type Rerenderer = {
  /** To be told of messages that were read. Those that are outdated are rendered later: reading waits for none of it. */
  noteRead(messages: readonly Pick<Message, 'id' | 'renderedVersion'>[]): void
  /** Resolves when no message waits any more. */
  settled(): Promise<void>
  /** Begins nothing more; resolves when what it had begun has ended. */
  close(): Promise<void>
}

type Parts = { db: Db; transaction: RunTransaction; clock: Clock; log: Log }

export function openRerenderer({ db, transaction, clock, log }: Parts): Rerenderer {
  const waiting = new Set<number>()
  /** What this renderer cannot render keeps its HTML, and is not tried each time it is read. */
  const givenUp = new Set<number>()
  const {
    run: round,
    stop,
    isStopped,
  } = openPeriodicTask({
    clock,
    work: rerenderAll,
    onFailure: (error) => log.error({ err: error }, 'Messages could not be rendered anew'),
  })

  async function rerenderAll(): Promise<null> {
    while (waiting.size > 0 && !isStopped()) {
      const rerenderings = await rerenderSome(waiting.values().take(AT_ONCE).toArray())
      await transaction(async (tx) => {
        for (const rerendering of rerenderings) await saveRerendering(tx, rerendering)
      })
    }
    return null
  }

  async function rerenderSome(ids: readonly number[]): Promise<Rerendering[]> {
    const rerenderings: Rerendering[] = []
    for (const id of ids) {
      await othersFirst()
      waiting.delete(id)
      const rerendering = await rerenderMessage(db, id)
      if (rerendering === null) giveUp(id)
      else rerenderings.push(rerendering)
    }
    return rerenderings
  }

  function giveUp(id: number): void {
    if (givenUp.size >= MAX_WAITING) givenUp.clear()
    givenUp.add(id)
  }

  return {
    noteRead(messages) {
      for (const message of messages) {
        if (!isOutdated(message) || givenUp.has(message.id) || waiting.size >= MAX_WAITING) continue
        waiting.add(message.id)
      }
      if (waiting.size > 0) void round()
    },
    settled: round,
    close: stop,
  }
}
