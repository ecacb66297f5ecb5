import { existsSync } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CompiledQuery } from 'kysely'
import { AlreadyRunning, OperatorError } from '#lib/errors.ts'
import { deferReferenceChecks, findAllocatedIds, keysetPages, restoreAllocatedIds } from './catalog.ts'
import { backedUpFolders, type FileStore, UNFINISHED_SUFFIX } from './files.ts'
import { requireOwnVersion } from './migrations.ts'
import { insertRowsInTurn } from './sql.ts'
import { explainFault } from './sqlite/errors.ts'
import { takeSqliteLock } from './sqlite/lock.ts'
import { CannotOpenStorage, type Db, type Storage, type Transaction } from './storage.ts'
import { type SyncFile, type SyncFolder, syncContents, syncFile, syncFolder } from './sync-to-disk.ts'
import { tableNames } from './tables.ts'

// Copies of a whole installation: of a database to the other kind, of a database that is being served, and of the
// stored files. A copy shows one moment and keeps all ids. It appears under its name only when it is complete and
// durable, and a failure leaves nothing behind.

export { takeSqliteLock }

/** Deletes every row of every table, and restarts ids at 1. */
export async function emptyDatabase(tx: Transaction): Promise<void> {
  const run = (statement: string) => tx.db.executeQuery(CompiledQuery.raw(statement))
  if (tx.db.dialect === 'postgres')
    await run(`truncate ${tableNames.map((name) => `"${name}"`).join(', ')} restart identity cascade`)
  else await run('pragma defer_foreign_keys = on')
  // On PostgreSQL nothing is left to delete, but the statements invalidate the caches of the tables.
  for (const name of tableNames) await tx.deleteFrom(name).execute()
  tx.afterCommit(() => tx.db.commitCounters.lastIds.clear())
  if (tx.db.dialect === 'sqlite') await run('delete from sqlite_sequence')
}

/** The full-text index is not an ordinary table on SQLite, and its text cannot be read. */
const copiedTables = tableNames.filter((table) => table !== 'messageWords')

type CopyOptions = {
  /** Called as the last step of the transaction. */
  finish: (tx: Transaction) => Promise<void>
  /** Called with the number of copied rows and the number of all rows. */
  onProgress?: (copied: number, all: number) => void
}

/**
 * Replaces the content of `to` with the content of `from` at one moment, in one transaction. Rows keep their ids, and
 * later rows get ids after those that `from` has allocated. The full-text index is left empty. Returns the number of
 * rows.
 */
export function copyDatabase(from: Storage, to: Storage, { finish, onProgress }: CopyOptions): Promise<number> {
  return from.transaction(({ db }) => to.transaction((tx) => copyInto(tx, db, { finish, onProgress })), {
    isSnapshot: true,
  })
}

async function copyInto(tx: Transaction, from: Db, { finish, onProgress }: CopyOptions): Promise<number> {
  await requireOwnVersion((query) => from.executeQuery(query), from.dialect)
  const all = await countRows(from)
  let copied = 0
  await emptyDatabase(tx)
  await deferReferenceChecks(tx, async () => {
    for (const table of copiedTables) {
      for await (const rows of keysetPages(from, table)) {
        await insertRowsInTurn(tx, table, rows as never)
        copied += rows.length
        onProgress?.(copied, all)
      }
    }
  })
  await restoreAllocatedIds(tx, await findAllocatedIds(from))
  await finish(tx)
  return copied
}

async function countRows(db: Db): Promise<number> {
  const counts = copiedTables.map((table) => `(select count(*) from "${table}")`)
  const { rows } = await db.executeQuery<{ all: number }>(CompiledQuery.raw(`select ${counts.join(' + ')} as "all"`))
  return rows[0]?.all ?? 0
}

/** Copies all pages in one step: if the server wrote between two steps, the backup would start again. */
const EVERY_PAGE = 2 ** 31 - 1

/**
 * Copies a database to a new file as of one moment, even while it is being served. The copy is checked and synced to
 * disk.
 */
export async function backUpSqlite(from: string, to: string): Promise<void> {
  await copyPages(from, to)
  requireIntact(to)
  await using file = await open(to, 'r+')
  await file.sync()
}

async function copyPages(from: string, to: string): Promise<void> {
  try {
    using source = new DatabaseSync(from, { readOnly: true, timeout: 5000 })
    await backup(source, to, { rate: EVERY_PAGE })
  } catch (error) {
    throw explainFault(`The database ${from} cannot be copied to ${to}`, error)
  }
}

function requireIntact(path: string): void {
  const faults = useDatabaseFile(path, (query) =>
    query<Record<string, string>>('pragma quick_check').flatMap((row) => Object.values(row)),
  )
  if (faults.join() !== 'ok')
    throw new CannotOpenStorage(`The copy of the database is damaged: ${faults.slice(0, 5).join('; ')}`)
}

/** Runs a statement on a SQLite file and returns its rows. */
export type QueryFile = <Row>(statement: string, ...values: (string | number)[]) => Row[]

/**
 * Runs statements on a SQLite file outside of a server. The file is not migrated: a newer program backs up the database
 * of an older one before the upgrade. A server may be running on it.
 */
export function useDatabaseFile<Result>(path: string, use: (query: QueryFile) => Result): Result {
  try {
    using database = new DatabaseSync(path, { timeout: 5000 })
    return use((statement, ...values) => database.prepare(statement).all(...values) as never)
  } catch (error) {
    throw explainFault(`The database ${path} cannot be used`, error)
  }
}

/**
 * The maximum number of files that are copied at the same time. Several are, because each copy waits for the disk at
 * its end.
 */
const CONCURRENCY = 8

export type CopiedTotals = { files: number; bytes: number }

type CopyFilesOptions = {
  /** The folders to copy; by default, those whose files cannot be recreated. */
  folders?: readonly string[]
  /** Returns true for a file that is not to be copied. */
  isSkipped?: (name: string, size: number) => Promise<boolean>
}

/**
 * Copies all files that cannot be recreated. Files deleted meanwhile are skipped; files added meanwhile may be missing.
 * `onProgress` gets the totals so far. After a failure no further files are written.
 */
export async function copyFiles(
  from: FileStore,
  to: FileStore,
  onProgress: (copied: CopiedTotals) => void = () => {},
  { folders = backedUpFolders, isSkipped = async () => false }: CopyFilesOptions = {},
): Promise<CopiedTotals> {
  const copied: CopiedTotals = { files: 0, bytes: 0 }
  for (const folder of folders) {
    const names = from.list(folder)[Symbol.asyncIterator]()
    let hasFailed = false
    const copyNext = async () => {
      for (let next = await names.next(); !next.done && !hasFailed; next = await names.next()) {
        if (next.value.endsWith(UNFINISHED_SUFFIX)) continue
        const size = await copyFile(from, to, next.value, isSkipped)
        if (size === null) continue
        copied.files += 1
        copied.bytes += size
        onProgress(copied)
      }
    }
    const copying = Array.from({ length: CONCURRENCY }, () =>
      copyNext().catch((error: unknown) => {
        hasFailed = true
        throw error
      }),
    )
    await Promise.allSettled(copying)
    await Promise.all(copying)
  }
  return copied
}

/** Copies a file and returns its size; null if the file is skipped, or has been deleted. */
async function copyFile(
  from: FileStore,
  to: FileStore,
  name: string,
  isSkipped: (name: string, size: number) => Promise<boolean>,
): Promise<number | null> {
  const size = await from.findSize(name)
  if (size === null || (await isSkipped(name, size))) return null
  const writer = await to.create(name)
  try {
    await pipeline(
      from.stream(name, { start: 0, end: size }),
      new Writable({
        write(chunk: Buffer, _, done) {
          writer.write(chunk).then(() => done(), done)
        },
      }),
    )
  } catch (error) {
    await writer.abandon()
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  await writer.finish()
  return size
}

/** `path` is the file or folder to move to the target. It is in the folder that `make` got. */
type Made<Result> = { path: string; result: Result }

type Disk = { syncFile: SyncFile; syncFolder: SyncFolder }

/** The lock that the process holds while it uses its temporary folder. */
const WRITER_LOCK = '.writer'

/**
 * Creates a file or folder at `target`, where nothing may exist. `make` gets a temporary folder next to the target. Its
 * result is durable before it is moved to the target, and under its new name before this function returns. A failure
 * leaves nothing behind. `what` describes the result in the error message that appears while another process creates
 * it. The files of a process that was killed are replaced.
 */
export async function createAtomically<Result>(
  target: string,
  what: string,
  make: (folder: string) => Promise<Made<Result>>,
  disk: Disk = { syncFile, syncFolder },
): Promise<Result> {
  requireAbsent(target)
  const highest = await mkdir(dirname(target), { recursive: true })
  const unfinished = `${target}.unfinished`
  const lock = await takeEmptyFolder(unfinished, what)
  try {
    // Another process may have finished before this one got the lock.
    requireAbsent(target)
    const { path, result } = await make(unfinished)
    if ((await stat(path)).isDirectory()) await syncContents(path, disk)
    else await disk.syncFile(path)
    await rename(path, target)
    await syncParents(target, highest ?? target, disk)
    return result
  } finally {
    // Windows cannot delete the file of a lock that is held.
    if (process.platform === 'win32') lock.release()
    await rm(unfinished, { recursive: true, force: true })
    lock.release()
  }
}

function requireAbsent(target: string): void {
  if (existsSync(target)) throw new OperatorError(`${target} already exists. Choose another name.`)
}

/** Makes the names of `path` and of the folders above it durable, up to the name of `highest`. */
async function syncParents(path: string, highest: string, disk: Disk): Promise<void> {
  for (let synced = path; synced !== dirname(highest); ) {
    synced = dirname(synced)
    await disk.syncFolder(synced)
  }
}

/** Keeps other processes from making a backup of a PostgreSQL database. Refuses while one does. */
export async function takeBackupLock(url: string): Promise<{ release(): Promise<void> }> {
  const postgres = await import('./postgres/exclusive-lock.ts')
  const taken = await postgres.takeBackupLock(url)
  if ('release' in taken) return taken
  throw new AlreadyRunning(`Another backup of this database is running: ${taken.holder}. Try again after it.`)
}

/** Creates and locks a folder, or empties the one that a killed process left. Refuses folders of other origin. */
export async function takeEmptyFolder(folder: string, what: string): Promise<{ release(): void }> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const lockFile = `${WRITER_LOCK}.lock`
  const names = await readdir(folder)
  if (names.length > 0 && !names.includes(lockFile))
    throw new OperatorError(`${folder} is needed for ${what} that is not complete. Delete or rename it.`)
  const lock = await takeSqliteLock(join(folder, WRITER_LOCK)).catch((error: unknown) => {
    throw error instanceof CannotOpenStorage
      ? new AlreadyRunning(`${folder} belongs to ${what} that is running.`)
      : error
  })
  for (const name of await readdir(folder))
    if (name !== lockFile) await rm(join(folder, name), { recursive: true, force: true })
  return lock
}
