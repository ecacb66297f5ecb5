import type { Settings } from '#config.ts'
import type { Clock } from '#lib/clock.ts'
import { DiskFull } from '#lib/errors.ts'
import type { Log } from '#lib/log.ts'
import type { Random } from '#lib/secrets.ts'
import { openSqliteFile, openSqliteMemory } from './sqlite/open-sqlite.ts'
import type { WriteAheadLogOptions } from './sqlite/write-ahead-log.ts'
import { CannotOpenStorage, type CommitCounters, type Db, type Storage } from './storage.ts'
import { CommitListeners, decodeNodeMessage, encodeNodeMessage } from './transactions/commit-listeners.ts'
import { countedEngine, type Engine, type NodeMembership } from './transactions/engine.ts'
import { queryBuilder } from './transactions/query-builder.ts'
import { type AppendEmissions, transactionRunner } from './transactions/transaction.ts'
import { UserRowLog } from './transactions/user-rows.ts'

// Opens the database of an installation, on SQLite or PostgreSQL. Before anything else is written, the database is
// migrated, and a server takes its lock or joins the other nodes.

export type StorageOptions = {
  /** The settings of the installation. Every `Db` contains them. DATABASE_URL selects the database. */
  settings: Settings
  clock: Clock
  random: Random
  log: Log
  /**
   * True if this process serves the database. Commands do not serve it. Only one process can serve it, unless
   * SEVERAL_NODES is set.
   */
  serve: boolean
  /**
   * True if this is a maintenance command: its statements and transactions on PostgreSQL may take long, and it reserves
   * no disk space beside a SQLite file.
   */
  isMaintenance?: boolean
  /**
   * Called before the database is served, while no other process serves it. Not called if other nodes already serve it.
   */
  prepare?: (storage: Storage) => Promise<void>
  append: AppendEmissions
  /** The options for the log of a SQLite file. Only tests set them. */
  sqliteLog?: WriteAheadLogOptions
  /** Called when the disk failed and the outcome of a write is unknown. If omitted, the process ends. */
  onFatal?: (error: unknown) => void
}

type OpenedEngine = { engine: Engine; migrated: string[]; nodes: NodeMembership | null; isFirst: boolean }

/** Opens the database, migrates it if it is older than the program, and takes the lock if `serve` is true. */
export async function openStorage(options: StorageOptions): Promise<Storage> {
  const lastIds = new Map<string, number>()
  const opened = await openEngine(options, lastIds)
  const engine = countedEngine(opened.engine)
  const { nodes } = opened
  const { clock, random, settings, log, append } = options
  const commitCounters = countersOf(lastIds, nodes)
  const listeners = new CommitListeners(commitCounters, log)
  engine.onOutsideCommit(() => listeners.announceOutsideCommit())
  const self = random.bytes(9).toString('base64url')
  nodes?.onMessage((text) => listeners.announceNodeMessage(decodeNodeMessage(text), self))

  const { dialect } = engine
  const db: Db = Object.assign(queryBuilder(dialect, engine.read), { dialect, written: null, commitCounters, settings })
  const runTransaction = transactionRunner({
    ...{ engine, commitCounters, settings, clock, random, log, append },
    announce: (commit) => listeners.announce(commit),
    nodeMessageOf: nodes === null ? null : (commit, notifiedIds) => encodeNodeMessage(self, commit, notifiedIds),
  })
  const prepare = async () => options.prepare?.({ ...storage, transaction: runTransaction })
  const preparation = new Preparation(prepare, log, () => listeners.announceOutsideCommit())
  const close = once(engine.close)
  const storage: Storage = {
    db,
    migrated: opened.migrated,
    get statements() {
      return engine.statements
    },
    transaction: (work, options) =>
      preparation.isDone
        ? runTransaction(work, options)
        : preparation.retry().then(() => runTransaction(work, options)),
    isShared: nodes !== null,
    isLeader: () => nodes === null || nodes.isLeader(),
    onBecomeLeader: (listener) => nodes?.onBecomeLeader(() => listeners.guard(listener)),
    onCommit: (listener) => listeners.onCommit(listener),
    onOutsideCommit: (listener) => listeners.onOutsideCommit(listener),
    onNodeNotification: (about, listener, { isOwnToo = false } = {}) =>
      listeners.onNodeNotification({ about, listener, isOwnToo }),
    isWritable: engine.isWritable,
    isReady: () => engine.isReady(),
    giveUp: engine.giveUp,
    close,
    [Symbol.asyncDispose]: close,
  }
  try {
    if (opened.isFirst) await preparation.begin(nodes === null)
    await nodes?.admitOthers()
  } catch (error) {
    await close()
    throw error
  }
  return storage
}

function countersOf(lastIds: Map<string, number>, nodes: NodeMembership | null): CommitCounters {
  return {
    commits: new Map(),
    changes: new Map(),
    unnamedCommits: new Map(),
    unnamedChanges: new Map(),
    userRows: new UserRowLog(),
    outsideCommits: 0,
    lastIds,
    get isComplete() {
      return nodes === null || nodes.hasAllMessages()
    },
  }
}

/** Prepares the database. Nothing else may be written before. */
class Preparation {
  readonly #prepare: () => Promise<void>
  readonly #log: Log
  readonly #onLate: () => void
  #retrying: Promise<void> | null = null
  #isDone = true

  constructor(prepare: () => Promise<void>, log: Log, onLate: () => void) {
    this.#prepare = prepare
    this.#log = log
    this.#onLate = onLate
  }

  /** True unless the preparation was postponed. */
  get isDone(): boolean {
    return this.#isDone
  }

  /**
   * Prepares the database. With `maybeLater`, a full disk postpones the preparation until the first write for which
   * there is space. Reads work meanwhile.
   */
  async begin(maybeLater: boolean): Promise<void> {
    try {
      await this.#prepare()
    } catch (error) {
      if (!maybeLater || !(error instanceof DiskFull)) throw error
      this.#log.error(
        { reason: error.message },
        'The disk is full. The server answers reads, but saves nothing until there is space',
      )
      this.#isDone = false
    }
  }

  /** Tries again. Concurrent callers share an attempt. */
  retry(): Promise<void> {
    this.#retrying ??= this.#attempt().finally(() => {
      this.#retrying = null
    })
    return this.#retrying
  }

  async #attempt(): Promise<void> {
    await this.#prepare()
    this.#isDone = true
    this.#log.warn({}, 'There is space on the disk again, and the server saves changes')
    this.#onLate()
  }
}

/** Returns a function that runs the job at its first call. Each call returns the promise of that run. */
function once(job: () => Promise<void>): () => Promise<void> {
  let result: Promise<void> | undefined
  return () => {
    result ??= job()
    return result
  }
}

/** Returns whether a DATABASE_URL names a PostgreSQL database. */
export const isPostgresUrl = (url: string): boolean => /^postgres(ql)?:/.test(url)

async function openEngine(options: StorageOptions, lastIds: ReadonlyMap<string, number>): Promise<OpenedEngine> {
  const { clock, log, serve, isMaintenance = false } = options
  const { DATABASE_URL: url, SEVERAL_NODES: isShared } = options.settings
  const onFatal = (error: unknown) => {
    log.error({ err: error }, 'The database failed, and its content is unknown until it is opened again')
    ;(options.onFatal ?? (() => process.exit(1)))(error)
  }
  if (isPostgresUrl(url)) {
    // The driver is loaded on demand, because it takes time and memory.
    const { openPostgres } = await import('./postgres/open-postgres.ts')
    return openPostgres(url, { clock, log, serve, isShared, isMaintenance, lastIds, onFatal })
  }
  if (serve && isShared)
    throw new CannotOpenStorage(
      'SEVERAL_NODES needs PostgreSQL, and DATABASE_URL names no such database: one process serves a SQLite file.',
    )
  const [scheme] = /^[a-z][a-z0-9+.-]+:(?=\/\/)/i.exec(url) ?? []
  if (scheme !== undefined)
    throw new CannotOpenStorage(
      `A database is a path (SQLite), \`memory\`, or \`postgres://…\`; Parley knows no databases at ${scheme}`,
    )
  const alone = { nodes: null, isFirst: serve }
  if (url === 'memory') return { ...alone, ...(await openSqliteMemory({ clock, onFatal })) }
  return {
    ...alone,
    ...(await openSqliteFile(url, { clock, log, serve, isMaintenance, onFatal, sqliteLog: options.sqliteLog })),
  }
}
