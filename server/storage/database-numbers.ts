import { CompiledQuery } from 'kysely'
import { listOf, MAX_DATABASES, type Settings } from '#config.ts'
import { findAllocatedIds } from './catalog.ts'
import { keepMessageIdsApart } from './counters.ts'
import { CannotOpenStorage, type Db, type Storage, type Transaction } from './storage.ts'

// Several PostgreSQL databases of one installation (DATABASE_URLS). Each has a number, which it gets when it joins and
// keeps. The first one has the number 0 and the directory of organizations. No id is allocated by two databases, so that
// organizations can move with their ids: each database allocates ids that leave its number when divided by 16.

/** The row of `installation` with the number of the database; absent if it is the only one. */
const NUMBER = 'database number'

/** The row of `installation` in the first database with the number of databases that have ever joined. */
const JOINED = 'databases'

/** The first program that allocates ids in steps. */
const FIRST_PROGRAM = 71

/**
 * Returns the settings for each database, the first one first. The backups of the others have folders of their own in
 * BACKUP_DIR.
 */
export function settingsOfDatabases(settings: Settings): [Settings, ...Settings[]] {
  const [, ...others] = listOf(settings.DATABASE_URLS)
  return [settings, ...others.map((url) => withDatabase(settings, url))]
}

function withDatabase(settings: Settings, DATABASE_URL: string): Settings {
  const own = { ...settings, DATABASE_URL, DATABASE_URLS: '', DATABASE_READ_URLS: '' }
  const [, folder = '', query = ''] = /^([^?]*)(.*)$/.exec(settings.BACKUP_DIR) ?? []
  if (folder === '') return own
  return { ...own, BACKUP_DIR: `${folder.replace(/\/$/, '')}/${databaseName(own).replaceAll(/[^\w.-]/g, '-')}${query}` }
}

/** Returns the host and the name of a PostgreSQL database. */
export function databaseName({ DATABASE_URL }: Pick<Settings, 'DATABASE_URL'>): string {
  const { host, pathname } = new URL(DATABASE_URL)
  return `${host}${pathname}`
}

/** Returns the number of the database; null if it is not one of several. */
export async function findDatabaseNumber(db: Db): Promise<number | null> {
  const value = await findFact(db, NUMBER)
  return value === null ? null : Number(value)
}

/**
 * Makes the database the first of several. Its ids go on in steps, so that those of other databases differ. Programs
 * before this one are refused from then on.
 */
export async function becomeFirst({ db, transaction }: Storage): Promise<void> {
  const number = await findDatabaseNumber(db)
  if (number !== null && number !== 0)
    throw new CannotOpenStorage(
      `DATABASE_URLS begins with database ${number} of this installation. Name the first database first, which has the directory of organizations.`,
      { isTemporary: false },
    )
  await transaction(async (tx) => {
    if (number === null) await saveFact(tx, NUMBER, '0')
    await keepIdsApart(tx, 0, new Map())
  })
}

/**
 * Makes an empty database one of several, and returns its number; only checks it if it is one already. Refuses the
 * database of another installation. `copyBots` copies the organization of the system bots, with its ids.
 */
export async function joinDatabases(
  first: Storage,
  { db, transaction }: Pick<Storage, 'db' | 'transaction'>,
  copyBots: (tx: Transaction) => Promise<void>,
): Promise<number> {
  const installation = await findFact(first.db, FOLDER)
  if (installation === null) throw new CannotOpenStorage('The first database is not bound to its files yet')
  const known = await findDatabaseNumber(db)
  if (known === 0 && (await findFact(db, FOLDER)) === installation)
    throw new CannotOpenStorage('It is the first database, under another address. Name each database once.', {
      isTemporary: false,
    })
  if (known === null ? await hasRows(db) : known === 0 || (await findFact(db, FOLDER)) !== installation)
    throw new CannotOpenStorage(
      known === null
        ? 'It has organizations already, whose ids may be in use in the other databases. Name an empty database, and import them: parley org export, parley org import.'
        : 'It belongs to another installation. Name an empty database, or one of this installation.',
      { isTemporary: false },
    )
  const number = known ?? (await first.transaction(takeNumber))
  const allocated = await findAllocatedIds(first.db)
  await transaction(async (tx) => {
    if (known === null) {
      await saveFact(tx, NUMBER, String(number))
      await saveFact(tx, FOLDER, installation)
    }
    await keepIdsApart(tx, number, allocated)
    await copyBots(tx)
  })
  return number
}

/** The row of `installation` that names the files of the installation, which all of its databases share. */
export const FOLDER = 'folder of files'

async function takeNumber(tx: Transaction): Promise<number> {
  // Nodes that join two databases at a time wait here for each other.
  await tx.db.selectFrom('installation').select('value').where('name', '=', NUMBER).forUpdate().execute()
  const number = Number((await findFact(tx.db, JOINED)) ?? 1)
  if (number >= MAX_DATABASES)
    throw new CannotOpenStorage(`An installation has at most ${MAX_DATABASES} databases`, { isTemporary: false })
  await saveFact(tx, JOINED, String(number + 1))
  return number
}

async function hasRows(db: Db): Promise<boolean> {
  return (await db.selectFrom('realms').select('id').limit(1).executeTakeFirst()) !== undefined
}

/**
 * Lets all ids of the database leave `number` when divided by MAX_DATABASES, beginning after those that `allocated`
 * names by table. Does nothing for tables whose ids do so already.
 */
async function keepIdsApart(tx: Transaction, number: number, allocated: ReadonlyMap<string, number>): Promise<void> {
  const run = <Row>(statement: string, values: unknown[] = []) =>
    tx.db.executeQuery<Row>(CompiledQuery.raw(statement, values))
  const { rows } = await run<{ table: string; sequence: string }>(DENSE_SEQUENCES, [MAX_DATABASES])
  for (const { table, sequence } of rows) {
    // No id is allocated between this statement and the end of the transaction.
    await run(`alter sequence ${sequence} increment by ${MAX_DATABASES}`)
    await run(
      `select setval('${sequence}', (greatest("last_value", $1) / ${MAX_DATABASES} + 1) * ${MAX_DATABASES} + $2, false) from ${sequence}`,
      [allocated.get(table) ?? 0, number],
    )
  }
  await keepMessageIdsApart(tx, { step: MAX_DATABASES, number, after: allocated.get('messages') ?? 0 })
  await run(`update "migrations" set "oldestProgram" = ${FIRST_PROGRAM} where "number" = ${FIRST_PROGRAM}`)
}

const DENSE_SEQUENCES = `
  select "relname"::text as "table", "seqrelid"::regclass::text as "sequence" from pg_sequence
    join pg_depend on "objid" = "seqrelid" and "classid" = 'pg_class'::regclass and "deptype" = 'i'
    join pg_class on pg_class."oid" = "refobjid"
  where "relnamespace" = current_schema()::regnamespace and "seqincrement" <> $1 order by 1`

async function findFact(db: Db, name: string): Promise<string | null> {
  const row = await db.selectFrom('installation').select('value').where('name', '=', name).executeTakeFirst()
  return row?.value ?? null
}

async function saveFact(tx: Transaction, name: string, value: string): Promise<void> {
  const row = tx.insertInto('installation').values({ name, value })
  await row.onConflict((conflict) => conflict.column('name').doUpdateSet({ value })).execute()
}
