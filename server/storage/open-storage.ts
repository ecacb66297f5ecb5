import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Random } from '../base/random.ts'
import type { Settings } from '../config.ts'
import { countedEngine } from './counted-engine.ts'
import type { Engine } from './engine.ts'
import { queryBuilder } from './query-builder.ts'
import { openSqliteFile, openSqliteMemory } from './sqlite/open-sqlite.ts'
import type { Commit, Db, Home, Storage } from './storage.ts'
import type { AppendEmissions } from './transaction.ts'
import { transactionRunner } from './transaction.ts'

export type StorageOptions = {
  /** DATABASE_URL says which database; all of them go with every `Db`. */
  settings: Settings
  clock: Clock
  random: Random
  log: Log
  /** Whether this process serves the database: one at a time does. The command line does not. */
  serve: boolean
  append: AppendEmissions
  /** Called when the disk failed and the outcome of a write is unknown. Ends the process when omitted. */
  onFatal?: (error: unknown) => void
}

/** Opens the database, migrates it when it is older than the program, and takes the lock when it is to be served. */
export async function openStorage(options: StorageOptions): Promise<Storage> {
  const opened = await openEngine(options)
  const engine = countedEngine(opened.engine)
  const home: Home = { commits: new Map(), changes: new Map(), outsideCommits: 0 }
  const commitListeners: ((commit: Commit) => void)[] = []
  const outsideListeners: (() => void)[] = []

  const guarded = (job: () => void) => {
    try {
      job()
    } catch (error) {
      options.log.error({ err: error }, 'What was to follow a commit failed')
    }
  }
  engine.onOutsideCommit(() => {
    home.outsideCommits++
    for (const listener of outsideListeners) guarded(listener)
  })
  const announce = (commit: Commit) => {
    for (const table of commit.written) home.commits.set(table, (home.commits.get(table) ?? 0) + 1)
    for (const table of commit.changed) home.changes.set(table, (home.changes.get(table) ?? 0) + 1)
    for (const listener of commitListeners) guarded(() => listener(commit))
  }

  const { clock, random, settings, log, append } = options
  const db: Db = Object.assign(queryBuilder(engine.dialect, engine.read), {
    dialect: engine.dialect,
    written: null,
    home,
    settings,
  })
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= engine.close()
    return closing
  }
  return {
    db,
    migrated: opened.migrated,
    get statements() {
      return engine.statements
    },
    transaction: transactionRunner({ engine, home, settings, clock, random, log, append, announce }),
    onCommit: (listener) => commitListeners.push(listener),
    onOutsideCommit: (listener) => outsideListeners.push(listener),
    isReady: () => engine.isReady(),
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function openEngine(options: StorageOptions): Promise<{ engine: Engine; migrated: string[] }> {
  const { clock, log, serve } = options
  const url = options.settings.DATABASE_URL
  const onFatal = (error: unknown) => {
    log.error({ err: error }, 'The database failed, and what it holds is unknown until it is opened again')
    ;(options.onFatal ?? (() => process.exit(1)))(error)
  }
  if (url === 'memory') return openSqliteMemory({ clock, onFatal })
  if (/^postgres(ql)?:/.test(url)) {
    // Loaded only where it is used: the driver takes time and memory.
    const { openPostgres } = await import('./postgres/open-postgres.ts')
    return openPostgres(url, { clock, log, serve, onFatal })
  }
  return openSqliteFile(url, { clock, serve, onFatal })
}
