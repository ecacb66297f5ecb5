import { accessSync, constants, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Clock } from '#lib/clock.ts'
import type { Log } from '#lib/log.ts'
import type { Meter } from '#lib/meter.ts'
import { findSchemaVersion, migrate, needsMigration, requireKnownVersion, type SchemaVersion } from '../migrations.ts'
import type { Engine } from '../transactions/engine.ts'
import { type SqliteConnection, sqliteConnection } from './connection.ts'
import { explainFault, mayLackSpace } from './errors.ts'
import { takeSqliteLock } from './lock.ts'
import { openSqliteReader, openSqliteWriter, requireSqliteVersion, sqliteEngine } from './sqlite.ts'
import { openWriteAheadLog, type WriteAheadLogOptions } from './write-ahead-log.ts'

/**
 * The reserved space in bytes. The index of the log takes 32 KiB, and the database cannot be read without the index.
 */
const RESERVED = 65_536

const fileOf = (path: string) => `${path}.reserve`

/**
 * Reserves disk space beside the database at `path`, because a later start may find a full disk and needs space to open
 * the database. If there is too little space now, reserves nothing.
 */
function reserveDiskSpace(path: string): void {
  try {
    writeFileSync(fileOf(path), Buffer.alloc(RESERVED), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    // A partial reserve would look like a complete one.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') releaseReservedSpace(path)
  }
}

/** Frees the reserved disk space. */
function releaseReservedSpace(path: string): void {
  rmSync(fileOf(path), { force: true })
}

type Opened = { engine: Engine; migrated: string[] }
type MemoryOptions = { clock: Clock; onFatal: (error: unknown) => void }
type FileOptions = MemoryOptions & {
  serve: boolean
  isMaintenance: boolean
  sqliteLog?: WriteAheadLogOptions | undefined
  log: Log
  meter?: Meter | undefined
}

/**
 * The first database in memory, after its migrations. Later ones are copies of it, because copying takes a thirtieth of
 * the time.
 */
let template: { content: Uint8Array; migrated: readonly string[] } | null = null

export async function openSqliteMemory({ clock, onFatal }: MemoryOptions): Promise<Opened> {
  requireSqliteVersion(process.versions.sqlite ?? '0')
  const writer = openSqliteWriter(':memory:')
  const { database } = writer
  if (template !== null) {
    database.deserialize(template.content)
    database.prepare('update "migrations" set "appliedAt" = ?').run(clock.now())
    return { engine: memoryEngine(writer, onFatal), migrated: [...template.migrated] }
  }
  const engine = memoryEngine(writer, onFatal)
  const migrated = await migrate(engine, { appliedAt: clock.now() })
  template = { content: database.serialize(), migrated }
  return { engine, migrated }
}

const memoryEngine = (writer: SqliteConnection, onFatal: (error: unknown) => void) =>
  sqliteEngine({ writer, reader: null, log: null, onFatal })

/**
 * Opens a file. If the file or its folder does not exist, it is created, and only this account can access it. The lock
 * is held as long as the file is served; commands hold it only during a migration.
 */
export async function openSqliteFile(path: string, options: FileOptions): Promise<Opened> {
  requireSqliteVersion(process.versions.sqlite ?? '0')
  try {
    return await openFile(path, options)
  } catch (error) {
    throw explainFault(`The database ${path} cannot be opened`, error)
  }
}

async function openFile(path: string, options: FileOptions): Promise<Opened> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  // SQLite opens a read-only file without an error, and would fail at the first write.
  if (existsSync(path)) accessSync(path, constants.R_OK | constants.W_OK)
  const version = await readSchemaVersion(path).catch((error: unknown) => {
    if (!options.serve || !mayLackSpace(error)) throw error
    releaseReservedSpace(path)
    return readSchemaVersion(path)
  })
  requireKnownVersion(version)

  const isMigrationNeeded = async () => needsMigration(await readSchemaVersion(path))
  const lock = options.serve
    ? await takeSqliteLock(path)
    : needsMigration(version)
      ? await takeSqliteLock(path, isMigrationNeeded)
      : null
  const writer = openSqliteWriter(path)
  // A command waits for the disk itself, because it blocks no one else.
  const log = options.serve
    ? openWriteAheadLog(writer.database, path, { meter: options.meter, ...options.sqliteLog })
    : null
  const engine = sqliteEngine({
    writer,
    reader: openSqliteReader(path),
    log,
    onFatal: options.onFatal,
    onCheckpointFailed: (error) =>
      options.log.warn(
        { err: error },
        'The write-ahead log of SQLite could not be copied into the database. It grows until this succeeds',
      ),
  })
  const close = async () => {
    await engine.close()
    lock?.release()
  }
  try {
    const migrated = await migrate(engine, { appliedAt: options.clock.now() })
    // A maintenance command with exclusive access leaves no other files beside the database.
    if (options.serve && !options.isMaintenance) reserveDiskSpace(path)
    if (!options.serve) lock?.release()
    return { engine: { ...engine, close }, migrated }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Returns the version of the schema. The database is only read, so that a refused database stays unchanged byte for
 * byte.
 */
async function readSchemaVersion(path: string): Promise<SchemaVersion> {
  if (!existsSync(path)) return { last: 0, oldestProgram: 0 }
  const { database, run } = sqliteConnection(new DatabaseSync(path, { readOnly: true, timeout: 5000 }))
  try {
    return await findSchemaVersion(async (query) => run(query), 'sqlite')
  } finally {
    database.close()
  }
}
