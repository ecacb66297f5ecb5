import pg from 'pg'
import { OperatorError } from '#lib/errors.ts'
import { indexMessagesAfter, passIndexedIds, updateSearchIndex } from '#messages/search-index.ts'
import { countMessagesOfOthers, findAllMessageDays, replaceMessageDays } from '#organizations/usage.ts'
import type { Row } from '#storage/catalog.ts'
import { eventCounter, lockRecipients, reachMessageId } from '#storage/counters.ts'
import type { Storage, Transaction } from '#storage/storage.ts'
import { run } from './fence.ts'
import { type Course, saveRows, shareWriting } from './rows.ts'
import { type MovedTable, moveNames } from './tables.ts'

// The steps of the pause: taking the rows on which jobs act out of the old database, and completing the copy in one
// transaction. Until that commits, the copy is an organization that is deactivated and has no address.

/** The subdomain of an incomplete copy, which no organization can have. */
const inertSubdomain = (realmId: number) => `:moving:${realmId}`

/** Returns the state of the organization in the database that receives it. */
export async function findArrival({ to, realmId }: Course): Promise<'none' | 'incomplete' | 'complete'> {
  const { rows } = await run<{ subdomain: string }>(to.db, 'select "subdomain" from "realms" where "id" = $1', [
    realmId,
  ])
  if (rows[0] === undefined) return 'none'
  return rows[0].subdomain === inertSubdomain(realmId) ? 'incomplete' : 'complete'
}

/** Inserts the row of the organization without address and settings, so that no job acts on it. */
export async function announceArrival({ to, realmId }: Course, startedAt: number): Promise<void> {
  const columns = '"id", "subdomain", "name", "createdAt", "deactivatedAt", "settings"'
  const values = [realmId, inertSubdomain(realmId), '', startedAt, startedAt, '{}']
  await run(to.db, `insert into "realms" (${columns}) values ($1, $2, $3, $4, $5, $6)`, values)
}

/** The entries of the held rows with the progress of the search index at the pause, and with the other database. */
const INDEXED = 'words'
const TARGET = 'target'

/**
 * Removes the rows on which jobs act from their tables, and the columns that make jobs act on others, and keeps them
 * apart. `indexed` is the id up to which messages had been indexed before writers were refused.
 */
export async function holdRows(tx: Transaction, { to, tables, realmId }: Course, indexed: number): Promise<void> {
  const { held } = moveNames(realmId)
  const hold = `insert into ${held} ("table", "row")`
  for (const { name, turn, acting, isOf } of tables.toReversed()) {
    const isOurs = isOf(realmId)
    if (turn === 'held')
      await run(
        tx.db,
        `with "taken" as (delete from "${name}" where ${isOurs} returning *)
         ${hold} select '${name}', to_json("taken") from "taken"`,
      )
    for (const column of acting) {
      const isActing = `${isOurs} and "${column}" is not null`
      await run(tx.db, `${hold} select '${name}', to_json("${name}") from "${name}" where ${isActing}`)
      await run(tx.db, `update "${name}" set "${column}" = null where ${isActing}`)
    }
  }
  await run(tx.db, `${hold} values ($1, $2)`, [INDEXED, JSON.stringify({ indexed })])
  await run(tx.db, `${hold} values ($1, $2)`, [TARGET, JSON.stringify({ name: nameOf(to) })])
}

/** Returns the address of the database, without credentials. */
function nameOf({ db }: Storage): string {
  const { host, port, database } = new pg.Client({ connectionString: db.settings.DATABASE_URL })
  return `${host}:${port}/${database}`
}

/** Refuses to continue a move in another database than that which may have the organization already. */
export async function requireSameTarget(course: Course): Promise<void> {
  const [target] = await findHeld(course, TARGET)
  if (target === undefined || target['name'] === nameOf(course.to)) return
  throw new OperatorError(
    `A move of this organization to ${target['name']} was interrupted in its last step. Repeat the command with that database.`,
    { isTemporary: false },
  )
}

async function findHeld({ from, realmId }: Course, table: string): Promise<Row[]> {
  const { held } = moveNames(realmId)
  const { rows } = await run<{ row: Row }>(from.db, `select "row" from ${held} where "table" = $1`, [table])
  return rows.map(({ row }) => row)
}

async function saveHeld(tx: Transaction, course: Course): Promise<void> {
  for (const table of course.tables) {
    const rows = await findHeld(course, table.name)
    if (rows.length > 0) await saveRows(tx.db, table, rows, course.realmId)
  }
  const [progress] = await findHeld(course, INDEXED)
  if (progress !== undefined) await indexMessagesAfter(tx, course.realmId, Number(progress['indexed']))
}

/** Undoes `holdRows` in the database that the organization does not leave after all. */
export async function releaseHeld(tx: Transaction, course: Course): Promise<void> {
  await saveHeld(tx, course)
  await run(tx.db, `delete from ${moveNames(course.realmId).held}`)
}

/**
 * Makes all ids of messages that are allocated from now on larger than those of the organization, and keeps the search
 * index from reading its messages, which come with their words.
 */
export async function passMessageIds({ from, to, realmId }: Course): Promise<void> {
  const { rows } = await run<{ newest: number | null }>(
    from.db,
    'select max("id") as "newest" from "messages" where "realmId" = $1',
    [realmId],
  )
  const newest = rows[0]?.newest ?? 0
  await updateSearchIndex(to)
  await to.transaction(async (tx) => {
    await reachMessageId(tx, newest)
    await passIndexedIds(tx, newest)
  })
}

/**
 * Completes the copy, of which all other changes have been applied, in one transaction of the database that receives
 * the organization.
 */
export async function completeCopy(course: Course): Promise<void> {
  const { from, to, tables, realmId } = course
  const days = await findAllMessageDays(from.db, realmId)
  const lasting = new Map<MovedTable, readonly Row[]>()
  for (const table of tables)
    if (table.turn === 'last' && table.name !== 'messageDays') lasting.set(table, await findRows(from, table, realmId))
  const counters = await findCounters(from, realmId)
  await to.transaction(async (tx) => {
    await shareWriting(tx.db, realmId)
    // The job for uploads of this database may have found files without messages while these were being copied.
    await run(
      tx.db,
      `update "attachments" set "unclaimedAt" = null where "realmId" = $1 and "unclaimedAt" is not null`,
      [realmId],
    )
    await saveHeld(tx, course)
    for (const [table, rows] of lasting) await saveRows(tx.db, table, rows, realmId)
    for (const { name, value } of counters) await run(tx.db, SAVE_COUNTER, [name, value])
    await countMessagesOfOthers(tx, realmId)
    await replaceMessageDays(tx, realmId, days)
    await lockRecipients(tx)
  })
}

async function findRows(from: Storage, table: MovedTable, realmId: number): Promise<readonly Row[]> {
  return (await run<Row>(from.db, `select * from "${table.name}" where ${table.isOf(realmId)}`)).rows
}

type Counter = { name: string; value: number }

/**
 * Returns the counter of the events of the organization, and that of the search index if an older version has indexed
 * messages of the organization.
 */
async function findCounters(from: Storage, realmId: number): Promise<readonly Counter[]> {
  const select = 'select "name", "value" from "counters" where "name" in ($1, $2)'
  return (await run<Counter>(from.db, select, [eventCounter(realmId), 'words again'])).rows
}

/** An event counter never goes back. The index is made again from the first message on that needs it. */
const SAVE_COUNTER = `
  insert into "counters" ("name", "value") values ($1, $2) on conflict ("name") do update set "value" =
    case when excluded."name" = 'words again' then least("counters"."value", excluded."value")
    else greatest("counters"."value", excluded."value") end`
