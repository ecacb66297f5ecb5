import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import pg from 'pg'
import { onPostgres } from '../../test/database.ts'
import { openTestStorage, sharedDatabaseUrl, temporaryFolder } from '../../test/storage.ts'
import { copyDatabase } from './copy.ts'
import { MIGRATIONS } from './migrations.ts'
import { CannotOpenStorage } from './storage.ts'

type Row = Record<string, unknown>

/** Runs a statement directly on the database. */
async function runOn(url: string, statement: string): Promise<Row[]> {
  if (!onPostgres) {
    const database = new DatabaseSync(url)
    const rows = database.prepare(statement).all()
    database.close()
    return rows
  }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<Row>(statement)
  await client.end()
  return rows
}

const insertion = (number: number, oldestProgram = number) =>
  `insert into "migrations" ("number", "name", "appliedAt", "oldestProgram") values (${number}, 'of the future', 0, ${oldestProgram})`

test('the migrations are applied in order, and opening a database again applies nothing', async () => {
  const url = await sharedDatabaseUrl()
  const first = await openTestStorage({ url })
  await first.close()

  await using second = await openTestStorage({ url })

  if (!onPostgres) {
    const numbers = first.migrated.map((name) => Number(name.slice(0, 4)))
    assert.deepEqual(
      numbers,
      Array.from(numbers, (_, at) => 47 + at),
    )
    assert.notEqual(numbers.length, 0)
  }
  assert.deepEqual(second.migrated, [])
})

/** A database with an organization and its owner, as the last version before 0.1.0 left it. */
const UNRELEASED = new URL('../../test/databases/before-0.1.0.db.gz', import.meta.url)

test('a database of the last version before 0.1.0 keeps its rows', { skip: onPostgres && 'a file' }, async () => {
  const url = join(await temporaryFolder(), 'parley.db')
  writeFileSync(url, gunzipSync(readFileSync(UNRELEASED)))
  const owner = 'select "id", "fullName", "deliveryEmail" from "users" where "role" = 100'
  const before = await runOn(url, owner)

  const storage = await openTestStorage({ url })
  await storage.close()

  assert.deepEqual(
    storage.migrated,
    MIGRATIONS.map(({ name }) => name),
  )
  assert.equal(before.length, 1)
  assert.deepEqual(await runOn(url, owner), before)
  assert.deepEqual(await schemaOf(url), await schemaOf(await migratedFile()))
})

test('a database with the tables of an older version before 0.1.0 is refused and left unchanged', async () => {
  const url = await sharedDatabaseUrl()
  const storage = await openTestStorage({ url })
  await storage.close()
  const rows = await runOn(url, 'select * from "migrations"')
  await runOn(url, 'delete from "migrations"')
  await runOn(url, insertion(45))
  const before = await contentOf(url)

  await assert.rejects(openTestStorage({ url }), /has migration 45, and 46 is the first that can be migrated/)

  assert.deepEqual(await contentOf(url), before)
  await runOn(url, 'delete from "migrations"')
  for (const { number } of rows) await runOn(url, insertion(Number(number)))
})

/** Returns the path of an empty database of this version. */
async function migratedFile(): Promise<string> {
  const url = join(await temporaryFolder(), 'parley.db')
  await (await openTestStorage({ url })).close()
  return url
}

/** Returns the columns, indexes and triggers of a SQLite file, without the order of columns. */
async function schemaOf(url: string): Promise<Row[]> {
  const schema = await runOn(
    url,
    `select t.name as "table", c.name as "column", c.type, c."notnull", c.dflt_value, c.pk > 0 as "isKey", null as sql
       from sqlite_schema t, pragma_table_xinfo(t.name) c where t.type = 'table'
     union all
     select tbl_name, name, type, null, null, null, sql from sqlite_schema where type in ('index', 'trigger') and sql is not null
     union all
     select t.name, f."from", f."table", null, f.on_delete, null, null from sqlite_schema t, pragma_foreign_key_list(t.name) f
     order by 1, 2, 3, 5`,
  )
  return schema
}

test('a database that is newer than the program is refused by servers and commands, and left unchanged', async () => {
  const url = await sharedDatabaseUrl()
  const storage = await openTestStorage({ url })
  await storage.close()
  await runOn(url, insertion(99))
  const before = await contentOf(url)

  for (const serve of [true, false]) {
    await assert.rejects(openTestStorage({ url, serve }), (error) => {
      assert.ok(error instanceof CannotOpenStorage)
      assert.match(error.message, /newer than this program: it has migration 99/)
      return true
    })
  }

  assert.deepEqual(await contentOf(url), before)
  await runOn(url, 'delete from "migrations" where "number" = 99')
})

test('a database of a newer program whose migrations only added to it is used, but not copied', async () => {
  const [url, empty] = [await sharedDatabaseUrl(), await temporaryFolder()]
  await (await openTestStorage({ url })).close()
  await runOn(url, insertion(99, 0))

  await using storage = await openTestStorage({ url })
  await storage.transaction((tx) => tx.insertInto('installation').values({ name: 'a', value: '1' }).execute())
  await using copy = await openTestStorage({ url: join(empty, 'copy.db') })

  assert.deepEqual(storage.migrated, [])
  await assert.rejects(
    copyDatabase(storage, copy, { finish: async () => {} }),
    /migrated the database to 99.*incomplete/,
  )
  await runOn(url, 'delete from "migrations" where "number" = 99')
  await runOn(url, `delete from "installation" where "name" = 'a'`)
})

/** Returns the bytes of a SQLite file; on PostgreSQL, the data that a migration would change. */
async function contentOf(url: string): Promise<unknown> {
  if (onPostgres) {
    return [
      await runOn(url, 'select * from "migrations" order by "number"'),
      await runOn(url, `select relname, relkind from pg_class where relnamespace = 'public'::regnamespace order by 1`),
    ]
  }
  return readFileSync(url)
}

test('while a server is running, a command of a newer program does not migrate its database', async () => {
  const url = await sharedDatabaseUrl()
  await using _server = await openTestStorage({ url })
  const [latest] = await runOn(url, 'select * from "migrations" order by "number" desc limit 1')
  await runOn(url, 'delete from "migrations"')

  const command = openTestStorage({ url, serve: false })

  await assert.rejects(command, /already being served by process/)
  assert.deepEqual(await runOn(url, 'select * from "migrations"'), [])
  await runOn(url, insertion(Number(latest?.number)))
})

test('a file that is not a database is refused and left unchanged', { skip: onPostgres && 'files' }, async () => {
  const path = join(await temporaryFolder(), 'notes.txt')
  writeFileSync(path, 'Not a database at all, but long enough to be mistaken for one. '.repeat(30))
  const before = readFileSync(path)

  await assert.rejects(openTestStorage({ url: path }), /notes\.txt cannot be opened: it is not a SQLite database/)

  assert.deepEqual(readFileSync(path), before)
})

/** Tables of nodes with NATS_URL, which only PostgreSQL has. */
const NODES = ['nodes', 'nodeLeader', 'nodeMessages']

/** The full-text index, whose implementation differs between the databases. */
const SEARCH_INDEX = 'messageWords'

test('the tables have exactly the columns that storage/tables declares', async () => {
  const url = await sharedDatabaseUrl()
  const storage = await openTestStorage({ url })
  await storage.close()

  const found = onPostgres ? await columnsOnPostgres(url) : await columnsOnSqlite(url)

  assert.deepEqual(found, declaredColumns())
})

/** Returns columns as `table.column: kind`, with a question mark for nullable columns. */
async function columnsOnSqlite(url: string): Promise<string[]> {
  const rows = await runOn(
    url,
    `select t.name as "table", c.name as "column", lower(c.type) as "type", c."notnull" = 0 and c.pk = 0 as "mayBeNull"
       from sqlite_schema t, pragma_table_info(t.name) c
      where t.type = 'table' and t.name not like 'sqlite%' and t.name <> 'migrations' and t.name not like '${SEARCH_INDEX}%'`,
  )
  return rows.map(describe).sort()
}

async function columnsOnPostgres(url: string): Promise<string[]> {
  const rows = await runOn(
    url,
    `select table_name as "table", column_name as "column", data_type as "type", is_nullable = 'YES' as "mayBeNull"
       from information_schema.columns where table_schema = 'public' and table_name not in ('migrations', '${[SEARCH_INDEX, ...NODES].join("', '")}')`,
  )
  // PostgreSQL's `real` has single precision, in which times are wrong by up to 64 seconds.
  assert.deepEqual(
    rows.filter(({ type }) => type === 'real'),
    [],
  )
  return rows.map(describe).sort()
}

function describe({ table, column, type, mayBeNull }: Row): string {
  return `${table}.${column}: ${type === 'text' ? 'text' : 'number'}${mayBeNull ? '?' : ''}`
}

/** A table is indented by two spaces; its columns are inside its braces, on separate lines or between semicolons. */
function declaredColumns(): string[] {
  const folder = new URL('./tables/', import.meta.url)
  const sources = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'))
  const source = sources.join('\n').replace(/\/\*\*[\s\S]*?\*\//g, '')
  return [...source.matchAll(/^ {2}(\w+): \{([\s\S]*?)\}$/gm)]
    .filter(([, table]) => table !== SEARCH_INDEX)
    .flatMap(([, table, body]) =>
      [...body!.matchAll(/(\w+): ([^;\n]+)/g)].map(([, column, type]) =>
        describe({
          table,
          column,
          type: /string|Json|'/.test(type!) ? 'text' : 'number',
          mayBeNull: type!.includes('null'),
        }),
      ),
    )
    .sort()
}
