import type { Settings } from '../../config.ts'
import { DiskFull } from '../errors/disk-full.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'
import type { Random } from '../security/random.ts'
import { countedEngine } from './counted-engine.ts'
import type { Engine, NodeMembership } from './engine.ts'
import { CannotOpenStorage } from './engine.ts'
import { decodeNodeMessage, encodeNodeMessage } from './node-message.ts'
import { queryBuilder } from './query-builder.ts'
import { openSqliteFile, openSqliteMemory } from './sqlite/open-sqlite.ts'
import type { WriteAheadLogOptions } from './sqlite/write-ahead-log.ts'
import type { Commit, CommitCounters, Db, NodeTopic, NodeTopicId, Storage } from './storage.ts'
import type { AppendEmissions } from './transaction.ts'
import { transactionRunner } from './transaction.ts'

export type StorageOptions = {
  /** The settings of the installation, which are part of every `Db`. DATABASE_URL selects the database. */
  settings: Settings
  clock: Clock
  random: Random
  log: Log
  /** True if this process serves the database. Only one process does, unless SEVERAL_NODES is set; commands do not. */
  serve: boolean
  /**
   * True if this is a maintenance command: its statements and transactions on PostgreSQL may take long, and it reserves
   * no disk space beside a SQLite file.
   */
  isMaintenance?: boolean
  /**
   * Called before the database is served, while no other process serves it; not called if other nodes serve it already.
   */
  prepare?: (storage: Storage) => Promise<void>
  append: AppendEmissions
  /** The syncing of the log of a SQLite file; tests replace it. */
  sqliteLog?: WriteAheadLogOptions
  /** Called when the disk failed and the outcome of a write is unknown. Ends the process if omitted. */
  onFatal?: (error: unknown) => void
}

/** Opens the database, migrates it if it is older than the program, and takes the lock if it is to be served. */
export async function openStorage(options: StorageOptions): Promise<Storage> {
  const lastIds = new Map<string, number>()
  const opened = await openEngine(options, lastIds)
  const engine = countedEngine(opened.engine)
  const { nodes } = opened
  const commitCounters: CommitCounters = {
    commits: new Map(),
    changes: new Map(),
    outsideCommits: 0,
    lastIds,
    get isComplete() {
      return nodes === null || nodes.hasAllMessages()
    },
  }
  const commitListeners: ((commit: Commit) => void)[] = []
  const outsideListeners: (() => void)[] = []
  const nodeListeners: { about: NodeTopic; listener: (ids: readonly NodeTopicId[]) => void; isOwnToo: boolean }[] = []

  const guarded = (job: () => void) => {
    try {
      job()
    } catch (error) {
      options.log.error({ err: error }, 'A listener failed after a commit')
    }
  }
  const noteOutsideCommit = () => {
    commitCounters.outsideCommits++
    for (const listener of outsideListeners) guarded(listener)
  }
  engine.onOutsideCommit(noteOutsideCommit)
  const announce = (commit: Commit) => {
    for (const table of commit.written) commitCounters.commits.set(table, (commitCounters.commits.get(table) ?? 0) + 1)
    for (const table of commit.changed) commitCounters.changes.set(table, (commitCounters.changes.get(table) ?? 0) + 1)
    for (const listener of commitListeners) guarded(() => listener(commit))
  }

  const { clock, random, settings, log, append } = options
  const self = random.bytes(9).toString('base64url')
  nodes?.onMessage((text) => {
    const message = decodeNodeMessage(text)
    if (message === null) return noteOutsideCommit()
    const isOwn = message.from === self
    if (!isOwn) announce(message.commit)
    for (const { about, listener, isOwnToo } of nodeListeners) {
      const ids = isOwn && !isOwnToo ? undefined : message.notifiedIds.get(about)
      if (ids !== undefined) guarded(() => listener(ids))
    }
  })
  const db: Db = Object.assign(queryBuilder(engine.dialect, engine.read), {
    dialect: engine.dialect,
    written: null,
    commitCounters,
    settings,
  })
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= engine.close()
    return closing
  }
  const runTransaction = transactionRunner({
    engine,
    commitCounters,
    settings,
    clock,
    random,
    log,
    append,
    announce,
    nodeMessageOf: nodes === null ? null : (commit, notifiedIds) => encodeNodeMessage(self, commit, notifiedIds),
  })
  /** Prepares the database, which must be done before anything else is written; null once it is prepared. */
  let prepareLate: (() => Promise<void>) | null = null

  /**
   * On a full disk the preparation is postponed until the first write for which there is room; reads work meanwhile.
   */
  async function prepareOrPutOff(): Promise<void> {
    const prepare = async () => options.prepare?.({ ...storage, transaction: runTransaction })
    try {
      await prepare()
    } catch (error) {
      if (nodes !== null || !(error instanceof DiskFull)) throw error
      log.error(
        { reason: error.message },
        'The disk is full: the server answers reads, and saves nothing until there is room',
      )
      prepareLate = oneAtATime(async () => {
        await prepare()
        prepareLate = null
        log.warn({}, 'There is room on the disk again, and the server saves')
        noteOutsideCommit()
      })
    }
  }
  const storage: Storage = {
    db,
    migrated: opened.migrated,
    get statements() {
      return engine.statements
    },
    transaction: (work, options) =>
      prepareLate === null ? runTransaction(work, options) : prepareLate().then(() => runTransaction(work, options)),
    isShared: nodes !== null,
    isLeader: () => nodes === null || nodes.isLeader(),
    onBecomeLeader: (listener) => nodes?.onBecomeLeader(() => guarded(listener)),
    onCommit: (listener) => commitListeners.push(listener),
    onOutsideCommit: (listener) => outsideListeners.push(listener),
    onNodeNotification: (about, listener, { isOwnToo = false } = {}) =>
      nodeListeners.push({ about, listener, isOwnToo }),
    isWritable: engine.isWritable,
    isReady: () => engine.isReady(),
    giveUp: engine.giveUp,
    close,
    [Symbol.asyncDispose]: close,
  }
  try {
    if (opened.isFirst) await prepareOrPutOff()
    await nodes?.admitOthers()
  } catch (error) {
    await close()
    throw error
  }
  return storage
}

/** Callers share the running job, if there is one. */
function oneAtATime(job: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null
  return () => {
    running ??= job().finally(() => {
      running = null
    })
    return running
  }
}

/** Returns whether a DATABASE_URL names a PostgreSQL database. */
export const isPostgresUrl = (url: string): boolean => /^postgres(ql)?:/.test(url)

type OpenedEngine = { engine: Engine; migrated: string[]; nodes: NodeMembership | null; isFirst: boolean }

async function openEngine(options: StorageOptions, lastIds: ReadonlyMap<string, number>): Promise<OpenedEngine> {
  const { clock, log, serve, isMaintenance: mayTakeLong = false } = options
  const { DATABASE_URL: url, SEVERAL_NODES: isShared } = options.settings
  const onFatal = (error: unknown) => {
    log.error({ err: error }, 'The database failed, and its content is unknown until it is opened again')
    ;(options.onFatal ?? (() => process.exit(1)))(error)
  }
  if (isPostgresUrl(url)) {
    // The driver is loaded on demand, because it takes time and memory.
    const { openPostgres } = await import('./postgres/open-postgres.ts')
    return openPostgres(url, { clock, log, serve, isShared, isMaintenance: mayTakeLong, lastIds, onFatal })
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
    ...(await openSqliteFile(url, { clock, serve, isMaintenance: mayTakeLong, onFatal, sqliteLog: options.sqliteLog })),
  }
}
