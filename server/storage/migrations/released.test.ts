import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { MIGRATIONS } from '../migrations.ts'
import { migratorOver } from '../schema.ts'
import type { Dialect } from '../storage.ts'
import { released } from './released.ts'

/** Returns the statements that a migration runs. */
async function statementsOf(apply: (typeof MIGRATIONS)[number]['apply'], dialect: Dialect): Promise<string[]> {
  const statements: string[] = []
  const run = async ({ sql }: { sql: string }) => {
    statements.push(sql)
    return { rows: [] }
  }
  await apply(migratorOver(dialect, run))
  return statements
}

async function hashOf({ apply }: (typeof MIGRATIONS)[number]): Promise<string> {
  const statements = [await statementsOf(apply, 'sqlite'), await statementsOf(apply, 'postgres')]
  return createHash('sha256').update(JSON.stringify(statements)).digest('base64url').slice(0, 16)
}

test('a migration on main runs the same statements forever', async () => {
  const found: Record<string, string> = {}
  for (const migration of MIGRATIONS) found[migration.name] = await hashOf(migration)

  for (const [name, hash] of Object.entries(found))
    assert.equal(
      released[name] ?? `'${name}': '${hash}' is to be added to released.ts`,
      hash,
      `Databases have ${name} already. Put it back, and write a new migration for the change`,
    )
  assert.deepEqual(Object.keys(released), Object.keys(found))
})

/** The parts of `create table` that make an older program fail: its deletions, if a row refers to the deleted one. */
const HOLDS_ROWS = /foreign key \([^)]*\) references "(\w+)" \("id"\)(?! on delete cascade)/g

const tableIn = (text: string, pattern: RegExp) => pattern.exec(text)?.[1] ?? ''

/** Returns the statements that a program of the version before would notice. */
function noticed(statements: readonly string[]): string[] {
  const created = new Set(
    statements.map((text) => tableIn(text, /^create (?:unlogged )?table (?:if not exists )?"(\w+)"/)).filter(Boolean),
  )
  return statements.filter((text) => {
    if (/^create (unlogged )?table/.test(text))
      return [...text.matchAll(HOLDS_ROWS)].some(([, table = '']) => !created.has(table))
    const indexed = tableIn(text, /^create (?:unique )?index "\w+" on "(\w+)"/)
    if (indexed !== '') return !created.has(indexed)
    return (
      !/^alter table "\w+" add column "\w+" [a-z ]+( collate "C")?( default \S+)?$/.test(text) || /not null$/.test(text)
    )
  })
}

test('a migration that other nodes may bear only adds what older programs do not notice', async () => {
  const additive = MIGRATIONS.filter(({ name, oldestProgram }) => name > '0067-~' && oldestProgram === undefined)
  for (const { name, apply } of additive)
    for (const dialect of ['sqlite', 'postgres'] as const)
      assert.deepEqual(
        noticed(await statementsOf(apply, dialect)),
        [],
        `Older nodes may serve the database during ${name}. Give it its oldestProgram (CONTRIBUTING.md, "Add a table or a column")`,
      )
})

test('statements that lock tables, lose data or hold rows are noticed', () => {
  const added =
    'create table "notes" (\n  "id" bigint,\n  foreign key ("userId") references "users" ("id") on delete cascade\n)'
  const borne = [
    added,
    'create index "notes_userId" on "notes" ("userId")',
    'alter table "users" add column "nickname" text collate "C"',
    'alter table "users" add column "isTall" bigint not null default 0',
  ]
  const refused = [
    'create table "pins" ("userId" bigint, foreign key ("userId") references "users" ("id"))',
    'create index "messages_sentAt" on "messages" ("sentAt")',
    'create unique index "users_nickname" on "users" ("nickname")',
    'alter table "users" add column "height" double precision not null',
    'alter table "users" drop column "fullName"',
    'alter table "users" rename column "fullName" to "name"',
    'update "users" set "fullName" = \'\'',
    'drop table "users"',
  ]

  assert.deepEqual(noticed(borne), [])
  assert.deepEqual(noticed([...borne, ...refused]), refused)
})
