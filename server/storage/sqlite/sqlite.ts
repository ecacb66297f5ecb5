import { DatabaseSync } from 'node:sqlite'
import type { CompiledQuery, QueryResult } from 'kysely'
import { DiskFull } from '#lib/errors.ts'
import { CannotOpenStorage } from '../storage.ts'
import type { Engine, RunStatement } from '../transactions/engine.ts'
import { type SharedSnapshot, type SqliteConnection, sharedSnapshot, sqliteConnection } from './connection.ts'
import { databaseClosed, isFatal, isFull, isSystemError } from './errors.ts'
import { type Durability, sqliteTransactions } from './transactions.ts'
import type { WriteAheadLog } from './write-ahead-log.ts'

/** The first version of SQLite without the defect that could corrupt a WAL database with several connections. */
const OLDEST_SQLITE = [3, 51, 3] as const

/** Milliseconds between checks for commits of other processes. */
const OUTSIDE_COMMIT_INTERVAL = 300

/** Milliseconds for which a statement may block this process while another process recovers the file. */
const BUSY_TIMEOUT = 5000

/**
 * Milliseconds for which an attempt to begin a transaction may block this process. Further attempts follow without
 * blocking.
 */
const BEGIN_TIMEOUT = 5

/** Refuses versions of SQLite that are known to lose data. */
export function requireSqliteVersion(version: string): void {
  const parts = version.split('.').map(Number)
  for (const [i, oldest] of OLDEST_SQLITE.entries()) {
    const part = parts[i] ?? 0
    if (part > oldest) return
    if (part < oldest) {
      throw new CannotOpenStorage(`SQLite ${OLDEST_SQLITE.join('.')} or newer is needed; this Node.js has ${version}`)
    }
  }
}

/** Opens the writing connection. The file is created if it does not exist. */
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

/** Opens the reading connection: it sees every commit, and never uncommitted changes. */
export function openSqliteReader(path: string): SqliteConnection {
  return sqliteConnection(new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT }))
}

type SqliteEngineOptions = {
  writer: SqliteConnection
  /** Null in memory, where there is one connection. */
  reader: SqliteConnection | null
  /** The log of the file, if it is synced off the event loop; null if each commit waits for the disk. */
  log: WriteAheadLog | null
  /** Called once, when a disk failure leaves the outcome of a write unknown. */
  onFatal: (error: unknown) => void
  /** Called when the log could not be copied into the database. The log then grows. */
  onCheckpointFailed?: (error: unknown) => void
}

type CheckpointListeners = { onFatal: (error: unknown) => void; onFailed: ((error: unknown) => void) | undefined }

/**
 * Returns an engine with one writer at a time. Reads never wait for the writer, except in memory, where they run after
 * the open transaction. Reads see durable commits. A transaction sees all commits before it.
 */
export function sqliteEngine({ writer, reader, log, onFatal, onCheckpointFailed }: SqliteEngineOptions): Engine {
  const { database } = writer
  const waitingReads: (() => void)[] = []
  const outsideCommits = watchedDataVersion(database)
  const { guarded, isBroken, fail } = guardedBy(onFatal)
  const snapshot = reader === null ? null : sharedSnapshot(reader.database)
  const transactions = sqliteTransactions({
    writer,
    guarded,
    sharesCommits: reader !== null,
    durability: log === null || snapshot === null ? null : durabilityOf(log, snapshot),
    hasOutsideCommit: outsideCommits.hasChanged,
    onOpen() {
      if (transactions.isSyncing) return
      // Reads after the commit must see it, and the log cannot restart while a snapshot is held.
      snapshot?.release()
      outsideCommits.check()
    },
    onClosed() {
      for (const read of waitingReads.splice(0)) read()
    },
    onStuck: fail,
  })

  function durabilityOf(log: WriteAheadLog, snapshot: SharedSnapshot): Durability {
    const checkpoint = checkpointer(() => transactions.runExclusively(log.checkpoint), {
      onFatal: fail,
      onFailed: onCheckpointFailed,
    })
    return {
      begin: snapshot.pin,
      sync: log.sync,
      end() {
        snapshot.release()
        if (log.isCheckpointDue()) checkpoint()
      },
    }
  }

  function readNow(query: CompiledQuery): QueryResult<unknown> {
    if (!database.isOpen) throw databaseClosed()
    if (!transactions.isOpen) snapshot?.hold()
    return (reader ?? writer).run(query)
  }

  const read: RunStatement = (query) => {
    if (reader !== null || !transactions.isOpen) return readNow(query)
    return new Promise((resolve) => waitingReads.push(() => resolve(Promise.try(readNow, query))))
  }

  const poll = setInterval(() => {
    try {
      if (!transactions.isOpen && !transactions.isSyncing) outsideCommits.check()
    } catch {
      // Another process may lock the file for a moment; the next check succeeds.
    }
  }, OUTSIDE_COMMIT_INTERVAL).unref()

  return {
    dialect: 'sqlite',
    read,
    replicas: null,
    begin: transactions.begin,
    isRetryable: () => false,
    isWritable: () => !isBroken(),
    isReady: async () => !isBroken() && database.isOpen,
    onOutsideCommit: outsideCommits.onCommit,
    connections: () => null,
    // There is nothing to abort: a file responds or fails.
    giveUp: () => {},
    async close() {
      clearInterval(poll)
      await transactions.runExclusively(async () => {
        await log?.close()
        snapshot?.release()
        reader?.database.close()
        database.close()
      })
    },
  }
}

/** Returns a function that starts a checkpoint unless one is running. */
function checkpointer(checkpoint: () => Promise<void>, { onFatal, onFailed }: CheckpointListeners): () => void {
  let isRunning = false
  return async () => {
    if (isRunning) return
    isRunning = true
    try {
      await checkpoint()
    } catch (error) {
      // If the disk is full or the thread cannot run, the log grows, and the next checkpoint tries again.
      if (isFatal(error) || isSystemError(error)) onFatal(error)
      else onFailed?.(error)
    }
    isRunning = false
  }
}

type Guarded = <Result>(job: () => Result) => Result

/**
 * Returns a function that runs jobs that write. If an error leaves the outcome unknown, it is reported, and later
 * writes are refused.
 */
function guardedBy(onFatal: (error: unknown) => void): {
  guarded: Guarded
  isBroken(): boolean
  fail(error: unknown): void
} {
  let isBroken = false

  function fail(error: unknown): void {
    if (isBroken) return
    isBroken = true
    onFatal(error)
  }

  const guarded: Guarded = (job) => {
    if (isBroken) throw new Error('The database has failed; nothing more is written')
    try {
      return job()
    } catch (error) {
      if (isFatal(error)) fail(error)
      throw isFull(error) ? new DiskFull('The disk of the database is full', { cause: error }) : error
    }
  }
  return { guarded, isBroken: () => isBroken, fail }
}

/** Detects commits of connections other than `database`. */
function watchedDataVersion(database: DatabaseSync) {
  const statement = database.prepare('pragma data_version')
  const listeners: (() => void)[] = []
  const versionNow = () => statement.get()?.data_version
  let known = versionNow()
  return {
    onCommit: (listener: () => void) => listeners.push(listener),
    hasChanged: () => versionNow() !== known,
    check() {
      const version = versionNow()
      if (version === known) return
      known = version
      for (const listener of listeners) listener()
    },
  }
}
