import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { CompiledQuery } from 'kysely'
import { systemClock } from '#lib/clock.ts'
import { AlreadyRunning, OperatorError } from '#lib/errors.ts'
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

const openCommandStorage = (url: string | null) =>
  openTestStorage({ url: url as string, serve: false, isMaintenance: true })

/** Opens two databases: one with two organizations, and one with a third, all with rows in every table. */
async function openDatabases() {
  const opened = new AsyncDisposableStack()
  const urls = [await sharedDatabaseUrl(), await sharedDatabaseUrl()] as const
  const open = async (url: string | null) => {
    const storage = await openCommandStorage(url)
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
  const [from, to] = [await open(urls[0]), await open(urls[1])]
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
  return { from, to, urls, tables, rowsOf, [Symbol.asyncDispose]: () => opened.disposeAsync() }
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

test('all rows of an organization move, and no others, there and back', { skip }, async () => {
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

  await moveOf({ from: to, to: from })

  assert.deepEqual(moved(await rowsOf(from, MOVING)), moved(before))
  assert.deepEqual(Object.values(await rowsOf(to, MOVING)).flat(), [])
})

/** Changes in which rows exchange names, get new keys, refer to new rows, or are gone. */
const CHANGES = [
  `update "channels" set "nameKey" = 'x', "messageRetentionDays" = 7 where "id" = 100`,
  `update "channels" set "nameKey" = 'y' where "id" = 101`,
  `update "channels" set "nameKey" = 'nullchannels 16 1' where "id" = 100`,
  `update "users" set "emailKey" = 'swapped' where "id" = 100`,
  `update "users" set "emailKey" = "emailKey" || '2', "botOwnerId" = 100 where "id" = 101`,
  `update "userTopics" set "topicKey" = 'new key'`,
  `update "activityIntervals" set "startedAt" = "startedAt" + 0.125`,
  `update "mails" set "dueAt" = 77, "state" = 'queued'`,
  `update "attachments" set "unclaimedAt" = null where "id" = 101`,
  `delete from "userMessages" where "messageId" = ${MOVING * 1000}`,
  `delete from "messages" where "id" = ${MOVING * 1000}`,
  `insert into "messageWords" values (${MOVING * 1000 + 1}, '''again'':3') on conflict ("rowid") do update set "words" = excluded."words"`,
]

test('changes move as well until the pause, and no job acts on the copy before it is complete', { skip }, async () => {
  await using databases = await openDatabases()
  const { from, to, rowsOf } = databases
  let before: Record<string, string[]> = {}
  let inert: unknown[] = []

  await moveOf(databases, {
    async pause() {
      inert = (await run(to, INERT)).rows
      for (const change of CHANGES) await run(from, change)
      before = await rowsOf(from, MOVING)
    },
  })

  assert.deepEqual(
    inert.map((row) => ({ ...(row as object) })),
    [{ isActive: 0, settings: '{}', due: 0, ending: 0, scheduled: 0, retained: 0 }],
  )
  assert.deepEqual(moved(await rowsOf(to, MOVING)), moved(before))
})

const INERT = `
  select "deactivatedAt" is null as "isActive", "settings",
    (select count(*) from "mails" where "realmId" = ${MOVING} and "dueAt" is not null) as "due",
    (select count("endsAt") from "userStatuses" join "users" on "userId" = "id" where "realmId" = ${MOVING}) as "ending",
    (select count(*) from "scheduledMessages" where "realmId" = ${MOVING}) as "scheduled",
    (select count("messageRetentionDays") from "channels" where "realmId" = ${MOVING}) as "retained"
  from "realms" where "id" = ${MOVING}`

test('a move that is stopped in the pause leaves the organization as it was', { skip }, async () => {
  await using databases = await openDatabases()
  const { from, to, rowsOf } = databases
  const before = await rowsOf(from, MOVING)
  const stop = new AbortController()
  const calls: string[] = []

  const move = moveOf(databases, {
    signal: stop.signal,
    async pause() {
      await assert.rejects(moveOf(databases), AlreadyRunning)
      stop.abort(new Error('stopped'))
    },
    resume: async () => void calls.push('resume'),
    switchOver: async () => void calls.push('switchOver'),
  })

  await assert.rejects(move, /stopped/)
  assert.deepEqual(calls, ['resume'])
  assert.deepEqual(await rowsOf(from, MOVING), before)
  assert.deepEqual(Object.values(await rowsOf(to, MOVING)).flat(), [])
})

test('databases of different versions are refused', { skip }, async () => {
  await using databases = await openDatabases()
  await run(databases.to, 'delete from "migrations" where "number" = (select max("number") from "migrations")')

  await assert.rejects(moveOf(databases), /different versions/)
})

test('an organization stays if the other database has one of its ids', { skip }, async () => {
  await using databases = await openDatabases()
  const { from, to, rowsOf } = databases
  await run(to, `insert into "recipients" ("id", "realmId") values (101, ${RESIDENT})`)
  const [before, resident] = [await rowsOf(from, MOVING), await rowsOf(to, RESIDENT)]
  const calls: string[] = []

  const move = moveOf({ from, to }, { resume: async () => void calls.push('resume') })

  await assert.rejects(move, (error) => error instanceof OperatorError && /recipients/.test(error.message))
  assert.deepEqual(calls, ['resume'])
  assert.deepEqual(await rowsOf(from, MOVING), before)
  assert.deepEqual(await rowsOf(to, RESIDENT), resident)
  assert.deepEqual(Object.values(await rowsOf(to, MOVING)).flat(), [])
})

/** Wraps a storage so that `onCall` is called before each statement and transaction. */
function watched(storage: Storage, onCall: () => void): Storage {
  const executeQuery: Storage['db']['executeQuery'] = (query) => {
    onCall()
    return storage.db.executeQuery(query)
  }
  return {
    ...storage,
    db: new Proxy(storage.db, {
      get(db, name) {
        if (name === 'executeQuery') return executeQuery
        const value: unknown = Reflect.get(db, name)
        return typeof value === 'function' ? value.bind(db) : value
      },
    }),
    transaction(work, options) {
      onCall()
      return storage.transaction(work, options)
    },
  }
}

test('a move that is killed at any point is repeated until it is complete', { skip }, async () => {
  await using databases = await openDatabases()
  const { rowsOf, urls } = databases
  const [before, other] = [await rowsOf(databases.from, MOVING), await rowsOf(databases.from, OTHER)]
  const calls: string[] = []
  let attempts = 0
  let isMoved = false

  // The number of statements before the next kill starts again low when a later part of the move was reached.
  let [life, reached] = [20, 0]
  while (!isMoved) {
    const [from, to] = [await openCommandStorage(urls[0]), await openCommandStorage(urls[1])]
    let left = life
    const killed = Promise.withResolvers<boolean>()
    const onCall = () => {
      left -= 1
      if (left > 0) return
      // All connections are closed, as if the process had been killed.
      for (const storage of [from, to]) storage.giveUp()
      killed.resolve(false)
      throw new Error('killed')
    }
    const note = async (call: string) => void (left > 0 && calls.push(call))
    attempts += 1
    const move = moveOf(
      { from: watched(from, onCall), to: watched(to, onCall) },
      { pause: () => note('pause'), switchOver: () => note('switchOver'), resume: () => note('resume') },
    )
    isMoved = await Promise.race([killed.promise, move.then(() => true)])
    move.catch(() => undefined)
    if (isMoved) await Promise.all([from.close(), to.close()])
    const parts = new Set(calls.filter((call) => call !== 'resume')).size
    life = parts > reached ? 9 : life + (parts === 1 ? 6 : 73)
    reached = parts
  }

  assert.ok(attempts > 5)
  assert.deepEqual(moved(await rowsOf(databases.to, MOVING)), moved(before))
  assert.deepEqual(Object.values(await rowsOf(databases.from, MOVING)).flat(), [])
  assert.deepEqual(await rowsOf(databases.from, OTHER), other)
})

const MOVER = new URL('../../test/processes/mover-process.ts', import.meta.url).pathname

test('a move whose process is killed while it copies, catches up, switches or deletes is repeated', {
  skip,
}, async () => {
  await using databases = await openDatabases()
  const { from, to, urls, rowsOf } = databases
  const before = await rowsOf(from, MOVING)
  const ends: unknown[] = []

  for (const [step, reports] of [
    ['copying', 30],
    ['catching up', 1],
    ['paused', 2],
    ['switch', 1],
    ['deleting', 20],
  ] as const) {
    const child = spawn(process.execPath, [MOVER, ...urls.map(String), String(MOVING), step, String(reports)], {
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    const [, signal] = await once(child, 'close')
    ends.push(signal)
    if (step === 'paused') await assert.rejects(moveOf({ from, to: from }), /was interrupted in its last step/)
  }
  await moveOf(databases)

  assert.deepEqual(ends, ['SIGKILL', 'SIGKILL', 'SIGKILL', 'SIGKILL', 'SIGKILL'])
  assert.deepEqual(moved(await rowsOf(to, MOVING)), moved(before))
  assert.deepEqual(Object.values(await rowsOf(from, MOVING)).flat(), [])
})
