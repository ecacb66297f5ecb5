import { readFileSync, statSync } from 'node:fs'
import type { Settings } from '#config.ts'
import { type Clock, SECONDS_PER_DAY } from '#lib/clock.ts'
import { explainError, OperatorError } from '#lib/errors.ts'
import { type Job, openPeriodicTask } from '#lib/jobs.ts'
import type { Log } from '#lib/log.ts'
import { type CheckedPair, checkPair, type ServedPairs, warnsFrom } from './pairs.ts'

// The certificate of the operator. The files are looked at each minute, because programs that renew certificates do not
// know the server. A pair that cannot be used is logged once, and the pair before it stays in use.

/** Seconds after which the files are looked at again. */
const INTERVAL = 60

type Options = { settings: Settings; clock: Clock; log: Log; pairs: ServedPairs }

/** Reads the certificate. Throws an `OperatorError` that names the setting to correct. */
export function openOwnCertificate({ settings, clock, log, pairs }: Options): { job: Job; begin(): void } {
  let seen = stateOf(settings)
  let current = readPair(settings)
  pairs.set('', current)
  let failingSince: number | null = null
  let warnedAt = Number.NEGATIVE_INFINITY

  async function look(): Promise<number> {
    const state = stateOf(settings)
    if (state !== seen) reload()
    seen = state
    if (clock.now() >= warnsFrom(current) && clock.now() - warnedAt >= SECONDS_PER_DAY) {
      warnedAt = clock.now()
      warn(current, clock, log)
    }
    return clock.now() + INTERVAL
  }

  function reload(): void {
    try {
      current = readPair(settings)
      pairs.set('', current)
      failingSince = null
      warnedAt = Number.NEGATIVE_INFINITY
      log.info({ names: current.names, ends: dateOf(current.ends) }, 'HTTPS_CERT has changed and is in use')
    } catch (error) {
      failingSince ??= clock.now()
      log.error(
        { reason: (error as Error).message, ends: dateOf(current.ends) },
        'HTTPS_CERT has changed but cannot be used: the certificate before it stays in use',
      )
    }
  }

  const task = openPeriodicTask({
    clock,
    work: look,
    onFailure: (error) => log.error({ err: error }, 'The files of HTTPS_CERT cannot be looked at'),
  })
  return {
    begin: () => void task.run(),
    job: {
      // Changes of the database mean nothing for the files.
      wake: () => {},
      settled: task.run,
      close: task.stop,
      history: () => ({ ...task.history(), ...(failingSince !== null && { failingSince }) }),
    },
  }
}

function warn({ names, ends }: CheckedPair, clock: Clock, log: Log): void {
  const details = { names, ends: dateOf(ends) }
  if (clock.now() < ends) log.warn(details, 'The certificate of HTTPS_CERT ends soon: replace the files')
  else log.error(details, 'The certificate of HTTPS_CERT has expired: browsers refuse it. Replace the files')
}

const dateOf = (time: number) => new Date(time * 1000).toISOString()

/** Returns a text that changes with the files. */
function stateOf({ HTTPS_CERT, HTTPS_KEY }: Settings): string {
  return [HTTPS_CERT, HTTPS_KEY]
    .map((path) => {
      const found = statSync(path, { throwIfNoEntry: false })
      return found === undefined ? 'absent' : `${found.mtimeMs} ${found.size} ${found.ino}`
    })
    .join(', ')
}

function readPair(settings: Settings): CheckedPair {
  const read = (name: 'HTTPS_CERT' | 'HTTPS_KEY') => {
    try {
      return readFileSync(settings[name], 'utf8')
    } catch (cause) {
      throw new OperatorError(`${name} cannot be read: ${explainError(cause)}`, { isTemporary: false, cause })
    }
  }
  const pair = { cert: read('HTTPS_CERT'), key: read('HTTPS_KEY') }
  try {
    const checked = checkPair(pair)
    checked.context()
    return checked
  } catch (cause) {
    throw new OperatorError(`HTTPS_CERT and HTTPS_KEY cannot be used: ${(cause as Error).message}`, {
      isTemporary: false,
      cause,
    })
  }
}
