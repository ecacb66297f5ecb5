import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../../base/clock.ts'
import type { Engine } from '../engine.ts'
import { StorageUnavailable } from '../engine.ts'
import { findSchemaVersion, migrate, needsMigration, requireKnownVersion } from '../migrations.ts'
import { sqliteConnection } from './connection.ts'
import { isNotADatabase } from './errors.ts'
import { takeSqliteLock } from './lock.ts'
import { openSqliteReader, openSqliteWriter, requireSqliteVersion, sqliteEngine } from './sqlite.ts'

type Opened = { engine: Engine; migrated: string[] }
type MemoryOptions = { clock: Clock; onFatal: (error: unknown) => void }
type FileOptions = MemoryOptions & { serve: boolean }

export async function openSqliteMemory({ clock, onFatal }: MemoryOptions): Promise<Opened> {
  requireSqliteVersion(process.versions.sqlite ?? '0')
  const engine = sqliteEngine({ writer: openSqliteWriter(':memory:'), reader: null, onFatal })
  return { engine, migrated: await migrate(engine, clock.now()) }
}

/**
 * Opens a file, creating it and its folder, for this account alone, when they are not there. The lock is held for as long as the file is served;
 * without serving, only while it is migrated.
 */
export async function openSqliteFile(path: string, options: FileOptions): Promise<Opened> {
  requireSqliteVersion(process.versions.sqlite ?? '0')
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const version = await readSchemaVersion(path)
  requireKnownVersion(version)

  const lock = options.serve || needsMigration(version) ? await takeSqliteLock(path) : null
  const writer = openSqliteWriter(path)
  const engine = sqliteEngine({ writer, reader: openSqliteReader(path), onFatal: options.onFatal })
  const close = async () => {
    await engine.close()
    lock?.release()
  }
  try {
    const migrated = await migrate(engine, options.clock.now())
    if (!options.serve) lock?.release()
    return { engine: { ...engine, close }, migrated }
  } catch (error) {
    await close()
    throw error
  }
}

/** Looks without writing, so that a database that is refused stays as it is, byte for byte. */
async function readSchemaVersion(path: string): Promise<number> {
  if (!existsSync(path)) return 0
  const { database, run } = sqliteConnection(new DatabaseSync(path, { readOnly: true, timeout: 5000 }))
  try {
    return await findSchemaVersion(async (query) => run(query), 'sqlite')
  } catch (error) {
    if (isNotADatabase(error)) throw new StorageUnavailable(`${path} is not a SQLite database`, { cause: error })
    throw error
  } finally {
    database.close()
  }
}
