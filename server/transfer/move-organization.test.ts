import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CompiledQuery } from 'kysely'
import { systemClock } from '#lib/clock.ts'
import { OperatorError } from '#lib/errors.ts'
import { SYSTEM_SUBDOMAIN } from '#realms/realm.ts'
import type { Storage } from '#storage/storage.ts'
import { onPostgres } from '../../test/database.ts'
import { fillTables, readRows } from '../../test/organization-rows.ts'
import { openTestStorage, sharedDatabaseUrl } from '../../test/storage.ts'
import { type MoveOptions, moveOrganization } from './move-organization.ts'
import { readTables } from './moving/tables.ts'

const skip = !onPostgres && 'needs PostgreSQL'

const MOVING = 16
const OTHER = 32
const RESIDENT = 17

/** Opens two databases: one with two organizations, and one with a third, all with rows in every table. */
async function openDatabases() {
  const opened = new AsyncDisposableStack()
  const open = async () => {
    const storage = await openTestStorage({
      url: (await sharedDatabaseUrl()) as string,
      serve: false,
      isMaintenance: true,
    })
    opened.use(storage)
    await run(
      storage,
      `insert into "realms" ("id", "subdomain", "name", "createdAt", "settings") values (1, '${SYSTEM_SUBDOMAIN}', '', 0, '{}')`,
    )
    await run(storage, `insert into "recipients" ("id", "realmId") values (1, 1)`)
    await run(
      storage,
      `insert into "users" ("id", "realmId", "recipientId", "deliveryEmail", "emailKey", "fullName", "role", "botType",
      "joinedAt", "avatarVersion", "timezone", "settings") values (1, 1, 1, 'bot', 'bot', 'Bot', 400, 1, 0, 1, '', '{}')`,
    )
    return storage
  }
  const [from, to] = [await open(), await open()]
  const tables = await readTables(from.db)
  const names = tables.map(({ name }) => name)
  await startIdsAt(from, 100)
  await startIdsAt(to, 100_001)
  await fillTables(from, names, { realmId: MOVING, subdomain: 'moving', count: 3 })
  await fillTables(from, names, { realmId: OTHER, subdomain: 'other', count: 3 })
  await fillTables(to, names, { realmId: RESIDENT, subdomain: 'resident', count: 3 })
  // The search index and the numbers of messages are complete, so that jobs leave the rows as they are.
  for (const storage of [from, to])
    await run(storage, `insert into "counters" ("name", "value") values ('words', 50000), ('counted messages', 50000)`)
  const rowsOf = (storage: Storage, realmId: number) =>
    readRows(
      storage,
      tables.map(({ name, isOf }) => ({ name, condition: isOf(realmId) })),
    )
  return { from, to, tables, rowsOf, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

const run = <Row>({ db }: Storage, statement: string, values: readonly unknown[] = []) =>
  Promise.resolve(db.executeQuery<Row>(CompiledQuery.raw(statement, [...values])))

async function startIdsAt(storage: Storage, id: number): Promise<void> {
  await run(
    storage,
    `do $$ declare found record; begin
      for found in select sequencename from pg_sequences where schemaname = 'public' loop
        perform setval(format('%I', found.sequencename), ${id}, false);
      end loop;
    end $$`,
  )
}

const moveOf = (databases: { from: Storage; to: Storage }, options: Partial<MoveOptions> = {}) =>
  moveOrganization({
    ...databases,
    realmId: MOVING,
    clock: systemClock(),
    signal: new AbortController().signal,
    onProgress: () => {},
    pause: async () => {},
    switchOver: async () => {},
    resume: async () => {},
    ...options,
  })

/** The tables whose rows do not move. */
const LEFT = ['events', 'audiences', 'eventQueues']

const moved = (rows: Record<string, string[]>) =>
  Object.fromEntries(Object.entries(rows).filter(([name]) => !LEFT.includes(name)))

test('all rows of an organization move, and no others', { skip }, async () => {
  await using databases = await openDatabases()
  const { from, to, tables, rowsOf } = databases
  const before = await rowsOf(from, MOVING)
  const [other, resident] = [await rowsOf(from, OTHER), await rowsOf(to, RESIDENT)]
  for (const { name } of tables) assert.ok((before[name]?.length ?? 0) > 0, `${name} has rows`)

  const result = await moveOf({ from, to })

  assert.deepEqual(moved(await rowsOf(to, MOVING)), moved(before))
  assert.deepEqual(Object.values(await rowsOf(from, MOVING)).flat(), [])
  assert.deepEqual(await rowsOf(from, OTHER), other)
  assert.deepEqual(await rowsOf(to, RESIDENT), resident)
  assert.ok(result.rows > tables.length)
  const left = await run<{ name: string }>(
    from,
    `select relname::text as name from pg_class where relname like 'move\\_%' union
     select proname::text from pg_proc where proname like 'move\\_%' union
     select tgname::text from pg_trigger where tgname like 'move\\_%' union
     select state from "organizationMoves"`,
  )
  assert.deepEqual(left.rows, [])
})

test('an organization moves there and back', { skip }, async () => {
  await using databases = await openDatabases()
  const { from, to, rowsOf } = databases
  const before = await rowsOf(from, MOVING)

  await moveOf({ from, to })
  await moveOf({ from: to, to: from })

  assert.deepEqual(moved(await rowsOf(from, MOVING)), moved(before))
  assert.deepEqual(Object.values(await rowsOf(to, MOVING)).flat(), [])
})

test('an organization stays if the other database has one of its ids', { skip }, async () => {
  await using databases = await openDatabases()
  const { from, to, rowsOf } = databases
  await run(to, `update "messages" set "id" = ${MOVING * 1000 + 1} where "id" = ${RESIDENT * 1000 + 1}`).catch(() => {})
  await run(
    to,
    `insert into "recipients" ("id", "realmId") select max("id"), ${RESIDENT} from (select 100 as "id") as "taken"`,
  )
  const [before, resident] = [await rowsOf(from, MOVING), await rowsOf(to, RESIDENT)]
  const calls: string[] = []

  const move = moveOf({ from, to }, { resume: async () => void calls.push('resume') })

  await assert.rejects(move, (error) => error instanceof OperatorError && /recipients/.test(error.message))
  assert.deepEqual(calls, ['resume'])
  assert.deepEqual(await rowsOf(from, MOVING), before)
  assert.deepEqual(await rowsOf(to, RESIDENT), resident)
  assert.deepEqual(Object.values(await rowsOf(to, MOVING)).flat(), [])
})
