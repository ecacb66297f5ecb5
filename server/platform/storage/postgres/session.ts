import type pg from 'pg'

/** Milliseconds without traffic after which the operating system probes a connection of this process. */
export const KEEPALIVE_DELAY = 5000

/** Milliseconds that a statement of a server waits for a lock; then its transaction begins anew (`LOCK_PATIENCE`). */
const LOCK_TIME = 3000

/**
 * Milliseconds that a transaction of a server may go without a statement. It is longer than two waits for a lock, which
 * is what one statement can spend on a row: so when a transaction of a process that stands still ends, those of the
 * process that waited for its rows have ended before, and none of them holds the rows for as long again. It is shorter
 * than `PLACE_IDLE_TIME`: when another process takes over, nothing of the former one is open.
 */
const IDLE_TRANSACTION_TIME = 8000

/** Milliseconds that a statement, and a transaction with all its statements, of a server may take. */
const STATEMENT_TIME = 30_000
const TRANSACTION_TIME = 60_000

/** Milliseconds after which a server waits for no answer any more: PostgreSQL has cancelled the statement long before. */
export const ANSWER_TIME = STATEMENT_TIME + 5000

/** Milliseconds that a transaction of a command may go without a statement: commands read files in between. */
const COMMAND_IDLE_TIME = 300_000

/** Milliseconds without a statement after which PostgreSQL ends a connection that holds a place. */
const PLACE_IDLE_TIME = 10_000

/** Has PostgreSQL end a connection, and its locks, some ten seconds after the machine at the other end has vanished. */
const DEAD_PEERS_END = `
  set tcp_keepalives_idle = 5;
  set tcp_keepalives_interval = 2;
  set tcp_keepalives_count = 3;
  set tcp_user_timeout = 10000;`

/**
 * A cluster may name a text search configuration that this database does not have. Parley uses none, but parallel workers
 * look up the one that is set.
 */
const KNOWN_TEXT_SEARCH = `set default_text_search_config = 'pg_catalog.simple';`

/** `transaction_timeout` came with PostgreSQL 17. */
const TRANSACTIONS_END = `
  select set_config('transaction_timeout', '${TRANSACTION_TIME}', false)
   where current_setting('transaction_timeout', true) is not null;`

const SERVER_SESSION = `
  set idle_in_transaction_session_timeout = ${IDLE_TRANSACTION_TIME};
  set lock_timeout = ${LOCK_TIME};
  set statement_timeout = ${STATEMENT_TIME};
  ${TRANSACTIONS_END}
  ${DEAD_PEERS_END}
  ${KNOWN_TEXT_SEARCH}`

const COMMAND_SESSION = `
  set idle_in_transaction_session_timeout = ${COMMAND_IDLE_TIME};
  ${DEAD_PEERS_END}
  ${KNOWN_TEXT_SEARCH}`

const PLACE_SESSION = `
  set idle_session_timeout = ${PLACE_IDLE_TIME};
  ${DEAD_PEERS_END}
  ${KNOWN_TEXT_SEARCH}`

/** What a connection is for: statements of a server, those of commands and migrations, which may take long, or a place. */
export type SessionKind = 'server' | 'command' | 'place'

const SESSIONS: Record<SessionKind, string> = {
  server: SERVER_SESSION,
  command: COMMAND_SESSION,
  place: PLACE_SESSION,
}

/** Milliseconds that setting up a connection may take. */
export const SETUP_TIME = 5000

/** Limits how long PostgreSQL waits for the connection, and the connection for others: no lock outlives its process for long. */
export async function limitSession(client: pg.ClientBase, kind: SessionKind): Promise<void> {
  const query: pg.QueryConfig & { query_timeout: number } = { text: SESSIONS[kind], query_timeout: SETUP_TIME }
  await client.query(query)
}
