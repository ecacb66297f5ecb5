import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createDatabase, startPostgres } from '../test/postgres.ts'

/** The location of a server's data. */
export type DataLocation = { readonly folder: string; readonly databaseUrl: string }

/** New locations in a temporary folder, which is removed at the end. */
export type Disk = AsyncDisposable & {
  newLocation(): Promise<DataLocation>
  /** Returns a location with a SQLite file, whatever the others use. */
  newSqliteLocation(): Promise<DataLocation>
}

export async function openSqliteDisk(): Promise<Disk> {
  const home = await mkdtemp(path.join(tmpdir(), 'parley-bench-'))
  const newSqlitePlace = async () => {
    const folder = await mkdtemp(path.join(home, 'disk-'))
    return { folder, databaseUrl: path.join(folder, 'parley.db') }
  }
  return {
    newLocation: newSqlitePlace,
    newSqliteLocation: newSqlitePlace,
    [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }),
  }
}

/** Opens databases on a separate PostgreSQL with default settings: a commit is on disk before it is acknowledged. */
export async function openPostgresDisk(): Promise<Disk> {
  const disk = await openSqliteDisk()
  const postgres = await startPostgres({ max_connections: '100' })
  let count = 0
  return {
    newSqliteLocation: disk.newSqliteLocation,
    async newLocation() {
      count += 1
      return { ...(await disk.newLocation()), databaseUrl: await createDatabase(postgres.url, `bench-${count}`) }
    },
    async [Symbol.asyncDispose]() {
      await postgres.stop()
      await disk[Symbol.asyncDispose]()
    },
  }
}
