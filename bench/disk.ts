import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { createDatabase, type Postgres, startPostgres } from '../test/postgres.ts'

/** The location of a server's data. */
export type DataLocation = { readonly folder: string; readonly databaseUrl: string }

/** New locations in a temporary folder, which is removed at the end. */
export type Disk = AsyncDisposable & {
  newLocation(): Promise<DataLocation>
  /** Returns a location with a SQLite file, whatever the others use. */
  newSqliteLocation(): Promise<DataLocation>
  /**
   * Returns a location with a database on a separate PostgreSQL with default settings: a commit is on disk before it is
   * acknowledged.
   */
  newPostgresLocation(): Promise<DataLocation>
}

/** `postgres` says what `newLocation` returns. */
export async function openDisk({ postgres: usesPostgres }: { postgres: boolean }): Promise<Disk> {
  const home = await mkdtemp(path.join(tmpdir(), 'parley-bench-'))
  let postgres: Promise<Postgres> | undefined
  let count = 0
  const newFolder = () => mkdtemp(path.join(home, 'disk-'))
  const newSqliteLocation = async () => {
    const folder = await newFolder()
    return { folder, databaseUrl: path.join(folder, 'parley.db') }
  }
  const newPostgresLocation = async () => {
    postgres ??= startPostgres({ max_connections: '100' })
    count += 1
    return { folder: await newFolder(), databaseUrl: await createDatabase((await postgres).url, `bench-${count}`) }
  }
  return {
    newLocation: usesPostgres ? newPostgresLocation : newSqliteLocation,
    newSqliteLocation,
    newPostgresLocation,
    async [Symbol.asyncDispose]() {
      await (await postgres)?.stop()
      await rm(home, { recursive: true, force: true })
    },
  }
}

/** Copies a database of PostgreSQL that no server uses; the copy belongs to the same folder. */
export async function copyLocation({ folder, databaseUrl }: DataLocation, name: string): Promise<DataLocation> {
  const [source, copy] = [new URL(databaseUrl), new URL(databaseUrl)]
  copy.pathname = `${source.pathname}-${name}`
  const maintenance = new URL(databaseUrl)
  maintenance.pathname = '/postgres'
  const client = new pg.Client({ connectionString: maintenance.href })
  await client.connect()
  try {
    await client.query(`create database "${copy.pathname.slice(1)}" template "${source.pathname.slice(1)}"`)
  } finally {
    await client.end()
  }
  return { folder, databaseUrl: copy.href }
}
