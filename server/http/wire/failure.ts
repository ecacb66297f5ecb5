import { isDiskFull } from '../../platform/errors/disk-full.ts'
import { Refusal } from '../../platform/errors/refusal.ts'
import type { Log } from '../../platform/runtime/log.ts'
import { DatabaseAway } from '../../platform/storage/engine.ts'
import type { AnswerHeaders, ReadyAnswer } from './exchange.ts'
import type { LoggedRequest } from './request-log.ts'
import { crashAnswer, databaseAway, diskFull, refusalAnswer } from './wire-refusals.ts'

/** Seconds after which a client may ask again: a lost connection is often made again by then. */
const RETRY_AFTER = 2

/** Seconds after which there may be room again: somebody has to make it. */
const RETRY_WHEN_FULL = 60

/** The answer to a request that failed with `error`, which the log gets, unless it is a refusal. */
export function failureAnswer(error: unknown, log: Log, { id }: LoggedRequest, headers: AnswerHeaders): ReadyAnswer {
  if (error instanceof Refusal) return refusalAnswer(error, headers)
  if (error instanceof DatabaseAway) {
    log.warn({ id, reason: error.message }, 'a request was not answered: the database is away')
    return refusalAnswer(databaseAway(), { ...headers, 'retry-after': String(RETRY_AFTER) })
  }
  if (isDiskFull(error)) {
    log.error({ id, reason: (error as Error).message }, 'a request was not answered: the disk is full')
    return refusalAnswer(diskFull(), { ...headers, 'retry-after': String(RETRY_WHEN_FULL) })
  }
  log.error({ id, err: error }, 'a request crashed')
  return crashAnswer(id, headers)
}
