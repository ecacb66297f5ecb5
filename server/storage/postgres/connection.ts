import { createHash } from 'node:crypto'
import type { CompiledQuery, QueryResult } from 'kysely'
import pg from 'pg'
import { clampToInt64, toStorableText } from '../sql.ts'

/** Milliseconds without traffic after which the operating system probes a connection of this process. */
export const KEEPALIVE_DELAY = 5000

/**
 * Milliseconds that a statement of a server waits for a lock. Its transaction is then tried again, for up to
 * `LOCK_PATIENCE`.
 */
const LOCK_TIME = 3000

/**
 * Milliseconds that a transaction of a server may be idle. This is longer than two lock timeouts, the longest time that
 * one statement can spend on a row. If a process is suspended, PostgreSQL ends its idle transactions after this time.
 * Other transactions of that process that waited for the same rows have ended before, so none of them holds the rows
 * for as long again. The time is shorter than `LOCK_IDLE_TIME`: when another process takes over, no transaction of the
 * suspended process is open.
 */
const IDLE_TRANSACTION_TIME = 8000

/** Milliseconds that a single statement and a whole transaction of a server may take. */
const STATEMENT_TIME = 30_000
const TRANSACTION_TIME = 60_000

/** Milliseconds after which a server stops waiting for a result: PostgreSQL has canceled the statement long before. */
export const ANSWER_TIME = STATEMENT_TIME + 5000

/** Milliseconds that a transaction of a command may be idle: commands read files in between. */
const COMMAND_IDLE_TIME = 300_000

/** Milliseconds of inactivity after which PostgreSQL terminates a connection that holds the lock. */
const LOCK_IDLE_TIME = 10_000

/**
 * Makes PostgreSQL terminate a connection and release its locks some ten seconds after the client machine has
 * disappeared.
 */
const KEEPALIVE = {
  tcp_keepalives_idle: 5,
  tcp_keepalives_interval: 2,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 10_000,
}

const settingsOf = (set: 'set' | 'set local', values: Readonly<Record<string, number>>) =>
  Object.entries(values)
    .map(([name, value]) => `${set} ${name} = ${value};`)
    .join(' ')

const KEEPALIVE_SETTINGS = settingsOf('set', KEEPALIVE)

/**
 * A cluster may name a text search configuration that this database does not have. Parley uses none, but parallel
 * workers look up the configured one.
 */
const TEXT_SEARCH_SETTING = `set default_text_search_config = 'pg_catalog.simple';`

/** Returns what limits the time of transactions, or of this one. `transaction_timeout` came with PostgreSQL 17. */
const transactionTimeout = (milliseconds: number, { isLocal }: { isLocal: boolean }): string => `
  select set_config('transaction_timeout', '${milliseconds}', ${isLocal})
   where current_setting('transaction_timeout', true) is not null;`

/** Lets a transaction take any time, also in a session that a pooler has given to a server before. */
const NO_TRANSACTION_TIMEOUT = transactionTimeout(0, { isLocal: true })

const SERVER_LIMITS = {
  idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIME,
  lock_timeout: LOCK_TIME,
  statement_timeout: STATEMENT_TIME,
}

/** A pooler may give a command a session with the limits of a server. */
const COMMAND_LIMITS = { idle_in_transaction_session_timeout: COMMAND_IDLE_TIME, lock_timeout: 0, statement_timeout: 0 }

const SERVER_SESSION = `
  ${settingsOf('set', SERVER_LIMITS)}
  ${transactionTimeout(TRANSACTION_TIME, { isLocal: false })}
  ${KEEPALIVE_SETTINGS}
  ${TEXT_SEARCH_SETTING}`

const COMMAND_SESSION = `
  set idle_in_transaction_session_timeout = ${COMMAND_IDLE_TIME};
  ${KEEPALIVE_SETTINGS}
  ${TEXT_SEARCH_SETTING}`

const LOCK_SESSION = `
  set idle_session_timeout = ${LOCK_IDLE_TIME};
  ${KEEPALIVE_SETTINGS}
  ${TEXT_SEARCH_SETTING}`

/** The purpose of a connection that runs statements: those of a server, or long ones of commands and migrations. */
export type SessionKind = 'server' | 'command'

const SESSIONS: Record<SessionKind | 'lock', string> = {
  server: SERVER_SESSION,
  command: COMMAND_SESSION,
  lock: LOCK_SESSION,
}

/** Returns what a transaction begins with, so that its limits hold in any session that a pooler gives it. */
export const transactionLimits = (kind: SessionKind): string =>
  kind === 'server'
    ? `; ${settingsOf('set local', SERVER_LIMITS)}`
    : `; ${settingsOf('set local', COMMAND_LIMITS)} ${NO_TRANSACTION_TIMEOUT}`

/** Limits with which a transaction can hold a lock for as long as its process runs. */
export const LASTING_TRANSACTION = `${settingsOf('set local', {
  idle_in_transaction_session_timeout: 0,
  ...KEEPALIVE,
})} ${NO_TRANSACTION_TIMEOUT}`

/** The maximum time for setting up a connection, in milliseconds. */
export const SETUP_TIME = 5000

/**
 * Limits how long PostgreSQL waits for the connection, and how long the connection waits for locks. No lock then
 * outlives its process for long.
 */
export async function limitSession(client: pg.ClientBase, kind: SessionKind | 'lock'): Promise<void> {
  const query: pg.QueryConfig & { query_timeout: number } = { text: SESSIONS[kind], query_timeout: SETUP_TIME }
  await client.query(query)
}

/** The maximum number of prepared statements per connection. */
const MAX_PREPARED = 400

/**
 * The maximum number of statements that are remembered after their first run. A statement is prepared at its second
 * run.
 */
const MAX_REMEMBERED = 2000

const BOOLEAN = 16
const INT8 = 20
const NUMERIC = 1700

/** Reads values in the same form as on SQLite: booleans as 0 or 1, and every number as a number. */
export const postgresTypes = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === BOOLEAN) return (text: string) => (text === 't' ? 1 : 0)
    if (oid === INT8 || oid === NUMERIC) return Number
    return pg.types.getTypeParser(oid, format as 'text')
  },
}

/** Converts compiled queries to queries of `pg`. Repeated queries get names, so that they are parsed and planned once. */
export type StatementNamer = {
  toQuery(query: CompiledQuery): pg.QueryConfig
  /** Gives the queries other names, because their plans are out of date. */
  forget(): void
  /** Gives no names from now on, because a pooler does not keep prepared statements. */
  useNoNames(): void
}

export function statementNamer(): StatementNamer {
  const names = new Map<string, string>()
  const seen = new Set<string>()
  let generation = 0
  let max = MAX_PREPARED
  return {
    toQuery({ sql, parameters }) {
      const values = parameters.map(toPostgresValue)
      const name = names.get(sql)
      if (name !== undefined) return { name, text: sql, values }
      if (names.size < max) {
        if (seen.delete(sql)) names.set(sql, `parley_${generation}_${hashOf(sql)}`)
        else if (seen.size < MAX_REMEMBERED) seen.add(sql)
      }
      return { text: sql, values }
    },
    forget() {
      generation += 1
      names.clear()
      seen.clear()
    },
    useNoNames() {
      max = 0
      names.clear()
    },
  }
}

/** The same name means the same statement in all processes, because a pooler lets them share sessions. */
const hashOf = (sql: string) => createHash('sha256').update(sql).digest('base64url').slice(0, 22)

/**
 * Returns whether PostgreSQL refused a prepared statement because a migration has added a column to its result. The
 * message depends on the language of the server; the name of the routine does not.
 */
export function isOutdatedPlan(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '0A000' && error.routine === 'RevalidateCachedQuery'
}

/**
 * Returns whether a prepared statement is missing, or exists already: a pooler in transaction mode gave the connection
 * another session, and does not keep track of prepared statements.
 */
export const isLostStatement = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && (error.code === '26000' || error.code === '42P05')

export function toQueryResult(result: pg.QueryResult): QueryResult<unknown> {
  const isWrite = result.command === 'INSERT' || result.command === 'UPDATE' || result.command === 'DELETE'
  return isWrite ? { rows: result.rows, numAffectedRows: BigInt(result.rowCount ?? 0) } : { rows: result.rows }
}

/** Throws immediately for values that would make `pg` fail later, after it has sent further statements. */
function toPostgresValue(value: unknown): unknown {
  if (typeof value === 'string') return toStorableText(value)
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value === 'bigint') return clampToInt64(value).toString()
  // PostgreSQL does not accept an integer in the form 1e+21.
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return clampToInt64(BigInt(value as number)).toString()
  if (typeof value === 'object' && value !== null)
    throw new TypeError('A value must be a number, a string, a boolean or null')
  return value
}

/** The maximum time for closing a connection cleanly, in milliseconds. */
const MAX_CLOSING_TIME = 1000

type Streamed = { connection: { stream: { destroy(): void } } }

/** Closes the connection at once without notifying the server. All pending statements fail. */
export function destroyConnection(client: pg.ClientBase): void {
  ;(client as unknown as Streamed).connection.stream.destroy()
}

/**
 * Closes the connection after `last` has ended. If the server does not respond in time, closes it without notifying the
 * server.
 */
export async function disconnect(client: pg.Client, last: Promise<unknown> | null = null): Promise<void> {
  const ending = Promise.resolve(last).then(() => client.end())
  await withDeadline(MAX_CLOSING_TIME, ending, () => destroyConnection(client))
}

/** Waits for `ending`; calls `giveUp` if it takes longer than `time` milliseconds. */
export async function withDeadline(time: number, ending: Promise<unknown>, giveUp: () => void): Promise<void> {
  const { promise: isOver, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(() => {
    giveUp()
    resolve()
  }, time)
  await Promise.race([ending, isOver])
  clearTimeout(timer)
}
