import { storedName } from '#messages/files.ts'
import { emojiFilePath } from '#organizations/pictures.ts'
import { type QueryFile, useDatabaseFile } from '#storage/copy.ts'
import { requireKnownVersion } from '#storage/migrations.ts'

// Facts about the copy of the database in a backup, which the manifest contains and every check compares.

export type DatabaseFacts = {
  schema: number
  /** The number of rows of each table. */
  tables: Record<string, number>
  /** The names of the stored files that rows refer to. */
  files: string[]
  peakMessagesPerSecond: number
}

/** The maximum number of faults of a database that are reported. */
const MAX_FAULTS = 20

/** Returns the facts of a SQLite file. */
export function describeDatabase(path: string): DatabaseFacts {
  return useDatabaseFile(path, (query) => ({
    schema: query<{ version: number }>('select max("number") as "version" from "migrations"')[0]?.version ?? 0,
    tables: countRows(query),
    files: findReferredFiles(query),
    peakMessagesPerSecond: findPeak(query),
  }))
}

/** The shadow tables of the full-text index have names that begin with its name. */
function countRows(query: QueryFile): Record<string, number> {
  const tables = query<{ name: string }>(
    `select "name" from pragma_table_list where "schema" = 'main' and "type" = 'table' and "name" not like 'sqlite_%' order by "name"`,
  )
  return Object.fromEntries(
    tables.map(({ name }) => [name, query<{ all: number }>(`select count(*) as "all" from "${name}"`)[0]?.all ?? 0]),
  )
}

function findReferredFiles(query: QueryFile): string[] {
  const uploads = query<{ place: string }>('select "place" from "attachments"')
  const emoji = query<{ realmId: number; fileName: string; stillFileName: string | null }>(
    'select "realmId", "fileName", "stillFileName" from "realmEmoji"',
  )
  return [
    ...uploads.map(storedName),
    ...emoji.flatMap(({ realmId, fileName, stillFileName }) =>
      [fileName, stillFileName].flatMap((name) => (name === null ? [] : [emojiFilePath(realmId, name)])),
    ),
  ]
}

const HOUR = 3600

function findPeak(query: QueryFile): number {
  const [peak] = query<{ most: number | null }>(`
    select max("count") as "most" from (
      select count(*) as "count" from "messages"
      where "sentAt" > (select max("sentAt") from "messages") - ${28 * 24 * HOUR}
      group by cast("sentAt" / ${HOUR} as integer))`)
  return (peak?.most ?? 0) / HOUR
}

/** Returns the faults of a SQLite file: damaged pages and indexes, references to missing rows, an unknown version. */
export function findDatabaseFaults(path: string): string[] {
  return useDatabaseFile(path, (query) => {
    const damage = query<object>(`pragma integrity_check(${MAX_FAULTS})`)
      .flatMap((row) => Object.values(row))
      .map(String)
    if (damage.join() !== 'ok') return damage
    const references = query<{ table: string; rowid: number; parent: string }>('pragma foreign_key_check')
    requireKnownVersion(readVersion(query))
    return references
      .slice(0, MAX_FAULTS)
      .map(({ table, rowid, parent }) => `row ${rowid} of ${table} refers to a missing row of ${parent}`)
  })
}

/** Databases of versions that did not record the oldest program need one that knows all migrations. */
function readVersion(query: QueryFile): { last: number; oldestProgram: number } {
  const migrations = query<{ number: number; oldestProgram?: number }>('select * from "migrations"')
  return {
    last: Math.max(0, ...migrations.map(({ number }) => number)),
    oldestProgram: Math.max(0, ...migrations.map(({ number, oldestProgram }) => oldestProgram ?? number)),
  }
}

/** Message ids that a restore skips besides those of the time since the backup, for bursts. */
const MARGIN = 1_000_000

/** Message ids per second since the backup that a restore skips at least: ten times as many as a start. */
const MIN_RATE = 200

/**
 * Skips message ids in a restored SQLite file, so that none is given twice: links, clients and webhook receivers know
 * messages by them. `peak` is the number of messages per second in the busiest hour before the backup.
 */
export function skipLostMessageIds(path: string, { seconds, peak }: { seconds: number; peak: number }): void {
  const skipped = MARGIN + Math.ceil(Math.max(0, seconds) * Math.max(MIN_RATE, 2 * peak))
  useDatabaseFile(path, (query) => {
    query(`insert into sqlite_sequence ("name", "seq") select 'messages', coalesce((select max("id") from "messages"), 0)
      where not exists (select 1 from sqlite_sequence where "name" = 'messages')`)
    query(`update sqlite_sequence set "seq" = "seq" + cast(? as integer) where "name" = 'messages'`, skipped)
  })
}
