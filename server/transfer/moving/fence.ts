import { setTimeout as sleep } from 'node:timers/promises'
import { CompiledQuery, type QueryResult } from 'kysely'
import pg from 'pg'
import { OperatorError } from '#lib/errors.ts'
import { type Db, ORGANIZATION_MOVING, type Storage, type Transaction } from '#storage/storage.ts'
import { type MovedTable, moveNames } from './tables.ts'

// The triggers in the database that an organization leaves. They record the keys of the rows that change while it is
// copied, and refuse writes from the pause on. They act only on rows of the organization.

/** The state of a move in the database that the organization leaves. `moved`: only the deletion of its rows is left. */
export type MoveState = 'copying' | 'paused' | 'moved'

/** The two numbers of the advisory lock that transactions share while they have changed rows of the organization. */
const fenceLock = (realmId: number) => `${0x5061726d}, ${realmId}`

/** Runs a statement; outside of a transaction, it is one of its own, which is not announced to the nodes. */
export const run = async <Row>(
  db: Pick<Db, 'executeQuery'>,
  statement: string,
  values: readonly unknown[] = [],
): Promise<QueryResult<Row>> => db.executeQuery<Row>(CompiledQuery.raw(statement, [...values]))

export async function findState({ db }: Storage, realmId: number): Promise<MoveState | null> {
  const { rows } = await run<{ state: MoveState }>(db, 'select "state" from "organizationMoves" where "realmId" = $1', [
    realmId,
  ])
  return rows[0]?.state ?? null
}

export async function saveState(tx: Transaction, realmId: number, state: MoveState): Promise<void> {
  const values = [realmId, state, tx.now]
  await run(
    tx.db,
    `insert into "organizationMoves" ("realmId", "state", "startedAt") values ($1, $2, $3)
     on conflict ("realmId") do update set "state" = excluded."state"`,
    values,
  )
}

/** Records changes of the organization from now on, after all transactions that began earlier. */
export async function recordChanges(from: Storage, tables: readonly MovedTable[], realmId: number): Promise<void> {
  const names = moveNames(realmId)
  await from.transaction((tx) => saveState(tx, realmId, 'copying'))
  await run(
    from.db,
    `create table if not exists ${names.changes} (
       "table" text not null, "key" jsonb not null, "xid" xid8 not null default pg_current_xact_id())`,
  )
  await run(from.db, `create table if not exists ${names.held} ("table" text not null, "row" json not null)`)
  for (const table of tables)
    await changeTable(
      from,
      table,
      `create or replace function ${names.functionOf(table.name)}() returns trigger language plpgsql as $function$
       ${triggerBody(table, realmId)}
       $function$;
       create or replace trigger ${names.trigger} before insert or update or delete on "${table.name}"
         for each row when (current_setting('parley.mover', true) is distinct from 'on')
         execute function ${names.functionOf(table.name)}();`,
    )
  // Transactions whose changes are visible are part of every later snapshot.
  await run(from.db, `delete from ${names.changes}`)
}

/**
 * Removes the triggers, and everything else that the move has created in the database, and then its state, in one
 * transaction with `finish`.
 */
export async function removeTriggers(
  from: Storage,
  tables: readonly MovedTable[],
  realmId: number,
  finish: (tx: Transaction) => Promise<void>,
): Promise<void> {
  const names = moveNames(realmId)
  for (const table of tables)
    await changeTable(
      from,
      table,
      `drop trigger if exists ${names.trigger} on "${table.name}";
       drop function if exists ${names.functionOf(table.name)}();`,
    )
  await run(from.db, `drop table if exists ${names.changes}, ${names.held}`)
  await from.transaction(async (tx) => {
    await finish(tx)
    await run(tx.db, 'delete from "organizationMoves" where "realmId" = $1', [realmId])
  })
}

/**
 * Waits until no transaction with changes of the organization is open, and keeps others from changing anything until
 * `tx` ends. Writers are refused meanwhile.
 */
export async function waitForWriters(tx: Transaction, realmId: number): Promise<void> {
  await run(tx.db, `set local lock_timeout = ${WRITERS_TIME}`)
  await run(tx.db, `select pg_advisory_xact_lock(${fenceLock(realmId)})`)
  await run(tx.db, 'set local lock_timeout = 0')
}

/** Milliseconds for which the pause waits for transactions with changes; it is longer than one of a server may take. */
const WRITERS_TIME = 65_000

/** Lets the transaction or block change rows of the organization although it is paused. */
export const PASSING = `set_config('parley.mover', 'on', true)`

function triggerBody({ name, turn, fencing, key, realmOf }: MovedTable, realmId: number): string {
  const names = moveNames(realmId)
  const keyOf = (row: string) => `jsonb_build_array(${key.map((column) => `${row}."${column}"`).join(', ')})`
  const record = (row: string) => `insert into ${names.changes} ("table", "key") values ('${name}', ${keyOf(row)});`
  const recordAll = `
    ${record('subject')}
    if tg_op = 'UPDATE' and ${keyOf('old')} <> ${keyOf('new')} then ${record('old')} end if;`
  const fence = (what: 'refuse' | 'skip') =>
    what === 'skip'
      ? 'return null;'
      : `raise exception using errcode = '${ORGANIZATION_MOVING}', message = 'The organization is being moved to another database';`
  return `
  declare
    subject "${name}"%rowtype;
    realm bigint;
    moving text;
  begin
    if tg_op = 'DELETE' then subject := old; else subject := new; end if;
    realm := ${realmOf('subject')};
    if realm <> ${realmId} then return subject; end if;
    if realm = ${realmId} and not pg_try_advisory_xact_lock_shared(${fenceLock(realmId)}) then
      ${fence(fencing.paused)}
    end if;
    select "organizationMoves"."state" into moving from "organizationMoves" where "realmId" = ${realmId};
    if moving is null then return subject; end if;
    if moving <> 'copying' then
      -- The row to which it belonged is gone, which only the mover or another organization can have done.
      if realm is null then return subject; end if;
      ${fencing.paused === fencing.moved ? fence(fencing.paused) : `if moving = 'moved' then ${fence(fencing.moved)} end if; ${fence(fencing.paused)}`}
    end if;
    ${turn === 'first' ? recordAll : ''}
    return subject;
  end`
}

/** Milliseconds for which a change of a table waits for its lock, and others wait behind it; and the time between two attempts. */
const LOCK_TIME = 300
const ATTEMPT_PAUSE = 200

/** The number of attempts, which take about two minutes. */
const ATTEMPTS = 250

/** SQLSTATE of our own: the lock was not free. */
const BUSY = 'PM002'

/** Runs statements that lock a table, without making others wait for long. */
async function changeTable(from: Storage, { name }: MovedTable, statements: string): Promise<void> {
  const block = `do $block$ begin
    perform set_config('lock_timeout', '${LOCK_TIME}', true);
    ${statements}
  exception when lock_not_available or deadlock_detected then
    raise exception using errcode = '${BUSY}', message = 'busy';
  end $block$`
  for (let attempt = 1; ; attempt++) {
    try {
      await run(from.db, block)
      return
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || error.code !== BUSY) throw error
      if (attempt === ATTEMPTS)
        throw new OperatorError(
          `The table ${name} is in use by a long transaction, such as a migration. Repeat the command after that.`,
        )
      await sleep(ATTEMPT_PAUSE)
    }
  }
}
