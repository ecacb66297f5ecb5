import { pino } from 'pino'

/**
 * The structured log, with one JSON line per entry. It never receives a key, password, token or the text of a message.
 */
export type Log = {
  isLevelEnabled(level: 'info'): boolean
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  child(fields: object): Log
}

/** Writes to standard error, so that the output of commands stays clean. `silent` writes nothing. */
export function openLog(level: 'debug' | 'info' | 'warn' | 'error' | 'silent'): Log {
  return pino({ level, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination({ dest: 2, sync: true }))
}
