import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createDatabase, startPostgres } from '../test/postgres.ts'

/** Where a server keeps what it knows. */
export type DataLocation = { readonly folder: string; readonly databaseUrl: string }

/** New places on the disk of the temporary folder; they go with it. */
export type Disk = AsyncDisposable & {
  newLocation(): Promise<DataLocation>
  /** A place with a SQLite file, whatever the others have. */
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

/** Databases of a PostgreSQL of its own, as it comes: a commit is on the disk before it is answered. */
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
