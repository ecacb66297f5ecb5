import type { Log } from '#lib/log.ts'

export type LogEntry = { message: string; [field: string]: unknown }

/** Returns a log that collects its entries without printing them. */
export function collectLog(): { log: Log; entries: LogEntry[]; errors: LogEntry[] } {
  const [entries, errors]: [LogEntry[], LogEntry[]] = [[], []]
  const keep = (fields: object, message: string) => entries.push({ ...fields, message })
  const keepError = (fields: object, message: string) => {
    keep(fields, message)
    errors.push({ ...fields, message })
  }
  const security = (fields: object) => keep(fields, 'security event')
  const log: Log = { isLevelEnabled: () => true, debug: keep, info: keep, warn: keep, error: keepError, security }
  return { log, entries, errors }
}
