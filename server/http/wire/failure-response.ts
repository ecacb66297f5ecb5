import { isDiskFull } from '#lib/errors/disk-full.ts'
import { Refusal } from '#lib/errors/refusal.ts'
import type { Log } from '#lib/runtime/log.ts'
import { DatabaseUnavailable } from '#storage/engine.ts'
import type { BufferedResponse, ResponseHeaders } from './http-types.ts'
import type { LoggedRequest } from './request-log.ts'
import { crashResponse, databaseUnavailable, diskFull, wireRefusalResponse } from './wire-refusals.ts'

/** Seconds after which a client may retry: a lost connection to the database is often restored by then. */
const RETRY_AFTER = 2

/** Seconds after which there may be disk space again: an administrator has to free some. */
const RETRY_WHEN_FULL = 60

/** Returns the response to a request that failed with `error`, and logs the error unless it is a refusal. */
export function failureResponse(
  error: unknown,
  log: Log,
  { id }: LoggedRequest,
  headers: ResponseHeaders,
): BufferedResponse {
  if (error instanceof Refusal) return wireRefusalResponse(error, headers)
  if (error instanceof DatabaseUnavailable) {
    log.warn({ id, reason: error.message }, 'Request failed: the database is unavailable')
    return wireRefusalResponse(databaseUnavailable(), { ...headers, 'retry-after': String(RETRY_AFTER) })
  }
  if (isDiskFull(error)) {
    log.error({ id, reason: (error as Error).message }, 'Request failed: the disk is full')
    return wireRefusalResponse(diskFull(), { ...headers, 'retry-after': String(RETRY_WHEN_FULL) })
  }
  log.error({ id, err: error }, 'Request crashed')
  return crashResponse(id, headers)
}
