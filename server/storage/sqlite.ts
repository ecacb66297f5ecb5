import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CompiledQuery, QueryResult } from 'kysely'
import type { Engine, OpenTransaction } from './engine.ts'
import { StorageUnavailable } from './engine.ts'
import { fairQueue } from './fair-queue.ts'
import { sharedSnapshot } from './shared-snapshot.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { sqliteConnection } from './sqlite-connection.ts'
import { isBusy, isFatal } from './sqlite-errors.ts'

/** The first version without the defect that could corrupt a WAL database with several connections. */
const OLDEST_SQLITE = [3, 51, 3] as const

/** Milliseconds between looks at whether another process committed. */
const OUTSIDE_COMMIT_INTERVAL = 300

/** Milliseconds that a statement blocks this process while another one recovers the file. */
const BUSY_TIMEOUT = 5000

/** The same for beginning a transaction, which is tried again without blocking: ten seconds in all. */
const BEGIN_TIMEOUT = 5
const BEGIN_INTERVAL = 20
const BEGIN_ATTEMPTS = 400

/** Refuses versions of SQLite that are known to lose data. */
export function requireSqliteVersion(version: string): void {
  const parts = version.split('.').map(Number)
  for (const [i, oldest] of OLDEST_SQLITE.entries()) {
    const part = parts[i] ?? 0
    if (part > oldest) return
    if (part < oldest) {
      throw new StorageUnavailable(`SQLite ${OLDEST_SQLITE.join('.')} or newer is needed; this Node.js has ${version}`)
    }
  }
}

/** Opens the connection that writes. A file is created when it is not there. */
export function openSqliteWriter(path: string): SqliteConnection {
  const connection = sqliteConnection(new DatabaseSync(path, { timeout: BUSY_TIMEOUT }))
  connection.database.exec(`
    pragma journal_mode = wal;
    pragma synchronous = full;
    pragma foreign_keys = on;
    pragma temp_store = memory;
    pragma journal_size_limit = 67108864;
    pragma busy_timeout = ${BEGIN_TIMEOUT};
  `)
  return connection
}

/** Opens the connection that reads: it sees every commit, and never what is not committed. */
export function openSqliteReader(path: string): SqliteConnection {
  return sqliteConnection(new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT }))
}

type SqliteEngineOptions = {
  writer: SqliteConnection
  /** Null in memory, where there is one connection. */
  reader: SqliteConnection | null
  /** Told once, when the disk failed in a way that leaves the outcome of a write unknown. */
  onFatal: (error: unknown) => void
}

/** One writer at a time; reads never wait for it, but in memory, where they run after the open transaction. */
export function sqliteEngine({ writer, reader, onFatal }: SqliteEngineOptions): Engine {
  const { database } = writer
  const writers = fairQueue()
  const waitingReads: (() => void)[] = []
  const outsideCommits = watchedDataVersion(database)
  const { guarded, isBroken } = guardedBy(onFatal)
  const snapshot = reader === null ? null : sharedSnapshot(reader.database)
  let isOpen = false

  async function begin(): Promise<OpenTransaction> {
    const leave = await writers.enter()
    const release = () => {
      isOpen = false
      for (const read of waitingReads.splice(0)) read()
      leave()
    }
    try {
      await patiently(() => guarded(() => database.exec('begin immediate')))
    } catch (error) {
      release()
      throw error
    }
    isOpen = true
    // Whoever reads after the commit must see it, and while a snapshot is held the log cannot begin anew.
    snapshot?.release()
    outsideCommits.notice()
    return openTransaction(writer, guarded, release)
  }

  async function readNow(query: CompiledQuery): Promise<QueryResult<unknown>> {
    if (!isOpen) snapshot?.hold()
    return (reader ?? writer).run(query)
  }

  function read(query: CompiledQuery): Promise<QueryResult<unknown>> {
    if (reader !== null || !isOpen) return readNow(query)
    return new Promise((resolve) => waitingReads.push(() => resolve(readNow(query))))
  }

  const poll = setInterval(() => {
    try {
      if (!isOpen) outsideCommits.notice()
    } catch {
      // Another process may hold the file for a moment: the next look tells.
    }
  }, OUTSIDE_COMMIT_INTERVAL).unref()

  return {
    dialect: 'sqlite',
    read,
    begin,
    isRetryable: () => false,
    isReady: async () => !isBroken() && database.isOpen,
    onOutsideCommit: outsideCommits.tell,
    async close() {
      clearInterval(poll)
      const leave = await writers.enter()
      snapshot?.release()
      reader?.database.close()
      database.close()
      leave()
    },
  }
}

type Guarded = <Result>(job: () => Result) => Result

/** Runs what writes: an error that leaves its outcome unknown is told of, and nothing is written after it. */
function guardedBy(onFatal: (error: unknown) => void): { guarded: Guarded; isBroken(): boolean } {
  let isBroken = false
  const guarded: Guarded = (job) => {
    if (isBroken) throw new Error('The database has failed; nothing more is written')
    try {
      return job()
    } catch (error) {
      if (isFatal(error)) {
        isBroken = true
        onFatal(error)
      }
      throw error
    }
  }
  return { guarded, isBroken: () => isBroken }
}

function openTransaction(writer: SqliteConnection, guarded: Guarded, release: () => void): OpenTransaction {
  const { database } = writer
  const requireStanding = () => {
    if (!database.isTransaction) throw new Error('SQLite ended the transaction by itself')
  }
  return {
    async run(query) {
      // Outside a transaction the statement would be a commit of its own.
      requireStanding()
      return guarded(() => writer.run(query))
    },
    async commit() {
      requireStanding()
      guarded(() => database.exec('commit'))
    },
    async rollBack() {
      if (database.isTransaction) database.exec('rollback')
    },
    release,
  }
}

/** Tells of commits that other connections than that of `database` made. */
function watchedDataVersion(database: DatabaseSync) {
  const statement = database.prepare('pragma data_version')
  const listeners: (() => void)[] = []
  let known = statement.get()?.data_version
  return {
    tell: (listener: () => void) => listeners.push(listener),
    notice() {
      const version = statement.get()?.data_version
      if (version === known) return
      known = version
      for (const listener of listeners) listener()
    },
  }
}

/** Tries again while another process holds the lock, without blocking this one. */
async function patiently(attempt: () => void): Promise<void> {
  for (let attempts = 1; ; attempts++) {
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error) || attempts === BEGIN_ATTEMPTS) throw error
      await sleep(BEGIN_INTERVAL)
    }
  }
}
