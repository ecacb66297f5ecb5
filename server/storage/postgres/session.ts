import type pg from 'pg'

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
const KEEPALIVE_SETTINGS = `
  set tcp_keepalives_idle = 5;
  set tcp_keepalives_interval = 2;
  set tcp_keepalives_count = 3;
  set tcp_user_timeout = 10000;`

/**
 * A cluster may name a text search configuration that this database does not have. Parley uses none, but parallel
 * workers look up the configured one.
 */
const TEXT_SEARCH_SETTING = `set default_text_search_config = 'pg_catalog.simple';`

/** `transaction_timeout` came with PostgreSQL 17. */
const TRANSACTION_TIMEOUT = `
  select set_config('transaction_timeout', '${TRANSACTION_TIME}', false)
   where current_setting('transaction_timeout', true) is not null;`

const SERVER_SESSION = `
  set idle_in_transaction_session_timeout = ${IDLE_TRANSACTION_TIME};
  set lock_timeout = ${LOCK_TIME};
  set statement_timeout = ${STATEMENT_TIME};
  ${TRANSACTION_TIMEOUT}
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

/** The purpose of a connection: statements of a server, long statements of commands and migrations, or the lock. */
type SessionKind = 'server' | 'command' | 'lock'

const SESSIONS: Record<SessionKind, string> = {
  server: SERVER_SESSION,
  command: COMMAND_SESSION,
  lock: LOCK_SESSION,
}

/** The maximum time for setting up a connection, in milliseconds. */
export const SETUP_TIME = 5000

/**
 * Limits how long PostgreSQL waits for the connection, and how long the connection waits for locks. No lock then
 * outlives its process for long.
 */
export async function limitSession(client: pg.ClientBase, kind: SessionKind): Promise<void> {
  const query: pg.QueryConfig & { query_timeout: number } = { text: SESSIONS[kind], query_timeout: SETUP_TIME }
  await client.query(query)
}
