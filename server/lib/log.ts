import { pino } from 'pino'

// The structured log of the server, one line of JSON for each entry. Keys, passwords, tokens and the text of messages
// must never be passed to it.

export type Log = {
  isLevelEnabled(level: 'debug'): boolean
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  /** Writes a security event at level info, even if the log starts at warnings. */
  security(fields: object): void
}

/** Fields of errors of PostgreSQL that may quote rows. The name of the constraint stays. */
const QUOTING = ['err.detail', 'err.where', 'err.cause.detail', 'err.cause.where']

type Level = 'debug' | 'info' | 'warn' | 'error' | 'silent'

/**
 * Writes to standard error, so that the output of commands stays clean, or appends to a file. `silent` writes nothing.
 */
export function openLog(level: Level, file: string | null = null): Log {
  const destination = pino.destination({ dest: file ?? 2, sync: true, mode: 0o640 })
  const lines = pino(
    { level, timestamp: pino.stdTimeFunctions.isoTime, redact: { paths: QUOTING, remove: true } },
    destination,
  )
  const events = level === 'warn' ? lines.child({}, { level: 'info' }) : lines
  return {
    isLevelEnabled: (wanted) => lines.isLevelEnabled(wanted),
    debug: (fields, message) => lines.debug(fields, message),
    info: (fields, message) => lines.info(fields, message),
    warn: (fields, message) => lines.warn(fields, message),
    error: (fields, message) => lines.error(fields, message),
    security: (fields) => events.info(fields, 'security event'),
  }
}

/** Returns a log that adds the fields to each entry. */
export function withFields(log: Log, added: object): Log {
  return {
    isLevelEnabled: (wanted) => log.isLevelEnabled(wanted),
    debug: (fields, message) => log.debug({ ...added, ...fields }, message),
    info: (fields, message) => log.info({ ...added, ...fields }, message),
    warn: (fields, message) => log.warn({ ...added, ...fields }, message),
    error: (fields, message) => log.error({ ...added, ...fields }, message),
    security: (fields) => log.security({ ...added, ...fields }),
  }
}
