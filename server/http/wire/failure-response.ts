import { isDiskFull } from '../../platform/errors/disk-full.ts'
import { Refusal } from '../../platform/errors/refusal.ts'
import type { Log } from '../../platform/runtime/log.ts'
import { DatabaseUnavailable } from '../../platform/storage/engine.ts'
import type { BufferedResponse, ResponseHeaders } from './http-types.ts'
import type { LoggedRequest } from './request-log.ts'
import { crashResponse, databaseUnavailable, diskFull, wireRefusalResponse } from './wire-refusals.ts'

/** Seconds after which a client may ask again: a lost connection is often made again by then. */
const RETRY_AFTER = 2

/** Seconds after which there may be room again: somebody has to make it. */
const RETRY_WHEN_FULL = 60

/** The answer to a request that failed with `error`, which the log gets, unless it is a refusal. */
export function failureResponse(
  error: unknown,
  log: Log,
  { id }: LoggedRequest,
  headers: ResponseHeaders,
): BufferedResponse {
  if (error instanceof Refusal) return wireRefusalResponse(error, headers)
  if (error instanceof DatabaseUnavailable) {
    log.warn({ id, reason: error.message }, 'a request was not answered: the database is away')
    return wireRefusalResponse(databaseUnavailable(), { ...headers, 'retry-after': String(RETRY_AFTER) })
  }
  if (isDiskFull(error)) {
    log.error({ id, reason: (error as Error).message }, 'a request was not answered: the disk is full')
    return wireRefusalResponse(diskFull(), { ...headers, 'retry-after': String(RETRY_WHEN_FULL) })
  }
  log.error({ id, err: error }, 'a request crashed')
  return crashResponse(id, headers)
}
