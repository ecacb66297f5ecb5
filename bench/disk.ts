import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createDatabase, startPostgres } from '../test/postgres.ts'

/** Where a server keeps what it knows. */
export type Place = { readonly folder: string; readonly databaseUrl: string }

/** New places on the disk of the temporary folder; they go with it. */
export type Disk = AsyncDisposable & {
  newPlace(): Promise<Place>
  /** A place with a SQLite file, whatever the others have. */
  newSqlitePlace(): Promise<Place>
}

export async function openSqliteDisk(): Promise<Disk> {
  const home = await mkdtemp(path.join(tmpdir(), 'parley-bench-'))
  const newSqlitePlace = async () => {
    const folder = await mkdtemp(path.join(home, 'disk-'))
    return { folder, databaseUrl: path.join(folder, 'parley.db') }
  }
  return {
    newPlace: newSqlitePlace,
    newSqlitePlace,
    [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }),
  }
}

/** Databases of a PostgreSQL of its own, as it comes: a commit is on the disk before it is answered. */
export async function openPostgresDisk(): Promise<Disk> {
  const disk = await openSqliteDisk()
  const postgres = await startPostgres({ max_connections: '100' })
  let count = 0
  return {
    newSqlitePlace: disk.newSqlitePlace,
    async newPlace() {
      count += 1
      return { ...(await disk.newPlace()), databaseUrl: await createDatabase(postgres.url, `bench-${count}`) }
    },
    async [Symbol.asyncDispose]() {
      await postgres.stop()
      await disk[Symbol.asyncDispose]()
    },
  }
}
