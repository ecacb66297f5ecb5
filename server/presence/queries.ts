import { sql } from 'kysely'
import { readUserSettings } from '#people/user-settings.ts'
import { defineCache } from '#storage/cache.ts'
import { idsIn, integerAt, jsonList, realAt } from '#storage/sql.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import type { StoredEntry } from './board.ts'
import { type PresencePerson, type PresenceRow, type PresenceTimes, toPresencePerson } from './presence.ts'

// The rows of presences and update ids. A row is never replaced by one with a lower update id, so the order in which
// nodes write does not matter.

const personColumns = ['id', 'joinedAt', 'deliveryEmail', 'botType', 'deactivatedAt', 'settings'] as const

type PersonRow = Omit<Parameters<typeof toPresencePerson>[0], 'settings'> & { settings: string }

/**
 * Matches stored settings that affect presence. Most users have never changed one, and parsing all settings is slow.
 */
const RELEVANT_SETTINGS = /"(presence_enabled|email_address_visibility)"/

const toPerson = (row: PersonRow) =>
  toPresencePerson({ ...row, settings: readUserSettings(RELEVANT_SETTINGS.test(row.settings) ? row.settings : '{}') })

/** Returns all accounts of the organization, whether or not their presence is shown. */
export async function findPresencePeople(db: Db, realmId: number): Promise<PresencePerson[]> {
  const rows = await db.selectFrom('users').select(personColumns).where('realmId', '=', realmId).execute()
  return rows.map(toPerson)
}

/** Returns the stored presences of the organization with their accounts, ordered by update id. */
export async function findStoredEntries(db: Db, realmId: number): Promise<StoredEntry[]> {
  const rows = await db
    .selectFrom('presences')
    .innerJoin('users', 'users.id', 'presences.userId')
    .select(['lastActiveAt', 'lastConnectedAt', 'updateId', ...personColumns.map((name) => `users.${name}` as const)])
    .where('presences.realmId', '=', realmId)
    .orderBy('updateId')
    .execute()
  return rows.map(({ lastActiveAt, lastConnectedAt, updateId, ...row }) => ({
    lastActiveAt,
    lastConnectedAt,
    updateId,
    person: toPerson(row),
  }))
}

/**
 * Returns the stored presences of the organization with update ids above `after`, ordered by update id. Each node reads
 * the reports that all nodes have received, so it does not read their accounts.
 */
export async function findStoredChanges(
  db: Db,
  realmId: number,
  after: number,
): Promise<(PresenceTimes & { readonly userId: number; readonly updateId: number })[]> {
  return db
    .selectFrom('presences')
    .select(['userId', 'lastActiveAt', 'lastConnectedAt', 'updateId'])
    .where('realmId', '=', realmId)
    .where('updateId', '>', after)
    .orderBy('updateId')
    .execute()
}

/** Returns the organization's ceiling for update ids; 0 if it has never used one. */
export async function findCeiling(db: Db, realmId: number): Promise<number> {
  const row = await db
    .selectFrom('presenceCeilings')
    .select('ceiling')
    .where('realmId', '=', realmId)
    .executeTakeFirst()
  return row?.ceiling ?? 0
}

export async function saveCeiling(tx: Transaction, realmId: number, ceiling: number): Promise<void> {
  await tx
    .insertInto('presenceCeilings')
    .values({ realmId, ceiling })
    .onConflict((on) => on.column('realmId').doUpdateSet({ ceiling }))
    .execute()
}

/**
 * Lowers the organization's ceiling from `from` to `to`. Does nothing if another transaction has changed the ceiling.
 */
export async function lowerCeiling(tx: Transaction, realmId: number, from: number, to: number): Promise<void> {
  await tx
    .updateTable('presenceCeilings')
    .set({ ceiling: to })
    .where('realmId', '=', realmId)
    .where('ceiling', '=', from)
    .execute()
}

/**
 * Takes the given number of update ids for each organization, and returns the last id of each. No other transaction can
 * take ids of these organizations until this one commits. Ids therefore follow the order of commits: a reader that has
 * seen an id has missed none below it. PostgreSQL only.
 */
export async function takeUpdateIds(
  tx: Transaction,
  counts: readonly (readonly [realmId: number, count: number])[],
): Promise<Map<number, number>> {
  if (counts.length === 0) return new Map()
  const rows = await tx
    .insertInto('presenceCeilings')
    .columns(['realmId', 'ceiling'])
    .expression(
      jsonList(tx.db, counts)
        .select([integerAt(0).as('realmId'), integerAt(1).as('ceiling')])
        // Every transaction locks the rows in the same order, so that two of them never wait for each other.
        .orderBy('realmId'),
    )
    .onConflict((on) =>
      on
        .column('realmId')
        .doUpdateSet((row) => ({ ceiling: row('presenceCeilings.ceiling', '+', row.ref('excluded.ceiling')) })),
    )
    .returning(['realmId', 'ceiling'])
    .execute()
  return new Map(rows.map(({ realmId, ceiling }) => [realmId, ceiling]))
}

/**
 * Waits for transactions that have taken update ids of these organizations, and keeps others from taking any until this
 * transaction ends. The next statement sees the rows that the former have written.
 */
export async function lockUpdateIds(tx: Transaction, realmIds: readonly number[]): Promise<void> {
  await takeUpdateIds(
    tx,
    realmIds.map((realmId) => [realmId, 0]),
  )
}

/** Returns the ids of those users who do not share their presence. */
export async function findNotSharingIds(db: Db, ids: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await db
    .selectFrom('users')
    .select(['id', 'settings'])
    .where('id', 'in', idsIn(db.dialect, JSON.stringify(ids)))
    .where('settings', 'like', '%"presence_enabled"%')
    .execute()
  const notSharing = rows.filter(({ settings }) => !readUserSettings(settings).presence_enabled)
  return new Set(notSharing.map(({ id }) => id))
}

export async function findStoredTimes(db: Db, userId: number): Promise<PresenceTimes | null> {
  const row = await db
    .selectFrom('presences')
    .select(['lastActiveAt', 'lastConnectedAt'])
    .where('userId', '=', userId)
    .executeTakeFirst()
  return row ?? null
}

/** Returns the organization's stored rows in which at least one time is later than `time`. */
export async function findStoredTimesAfter(
  db: Db,
  realmId: number,
  time: number,
): Promise<(PresenceTimes & { readonly userId: number })[]> {
  return db
    .selectFrom('presences')
    .select(['userId', 'lastActiveAt', 'lastConnectedAt'])
    .where('realmId', '=', realmId)
    .where((is) => is.or([is('lastActiveAt', '>', time), is('lastConnectedAt', '>', time)]))
    .execute()
}

/**
 * Saves the rows, except where a row with a higher update id is stored. With `keepsLatest`, stored times that are later
 * are kept, because another node has received a later report. Only PostgreSQL supports `keepsLatest`.
 */
export async function savePresences(
  tx: Transaction,
  rows: readonly PresenceRow[],
  { keepsLatest = false } = {},
): Promise<void> {
  if (rows.length === 0) return
  const values = rows.map((row) => [row.userId, row.realmId, row.lastActiveAt, row.lastConnectedAt, row.updateId])
  await tx
    .insertInto('presences')
    .columns(['userId', 'realmId', 'lastActiveAt', 'lastConnectedAt', 'updateId'])
    .expression(
      jsonList(tx.db, values)
        .select([
          integerAt(0).as('userId'),
          integerAt(1).as('realmId'),
          realAt(2).as('lastActiveAt'),
          realAt(3).as('lastConnectedAt'),
          integerAt(4).as('updateId'),
        ])
        // Without a WHERE clause, SQLite would parse ON CONFLICT as a join condition.
        .where(sql<boolean>`true`),
    )
    .onConflict((on) =>
      on
        .column('userId')
        .doUpdateSet((row) => ({
          lastActiveAt: keepsLatest ? latest('lastActiveAt') : row.ref('excluded.lastActiveAt'),
          lastConnectedAt: keepsLatest ? latest('lastConnectedAt') : row.ref('excluded.lastConnectedAt'),
          updateId: row.ref('excluded.updateId'),
        }))
        .whereRef('presences.updateId', '<', 'excluded.updateId'),
    )
    .execute()
}

/** The later of the stored and the new time. If one of them is null, the other one is used. */
const latest = (column: 'lastActiveAt' | 'lastConnectedAt') =>
  sql<number>`greatest(${sql.ref(`presences.${column}`)}, ${sql.ref(`excluded.${column}`)})`

/** The maximum number of users that are read: one more than the largest audience of an event. */
const MAX_LOOKED_UP = 101

const firstActiveUserIds = defineCache<number, readonly number[]>({
  dependsOn: ['users'],
  limit: 1000,
  load: readFirstActiveUserIds,
  isAffected: (_, ids, userIds) => ids.length < MAX_LOOKED_UP || userIds.some((id) => ids.includes(id)),
  update: readFirstActiveUserIds,
})

async function readFirstActiveUserIds(db: Db, realmId: number): Promise<readonly number[]> {
  const rows = await db
    .selectFrom('users')
    .select('id')
    .where('realmId', '=', realmId)
    .where('deactivatedAt', 'is', null)
    .limit(MAX_LOOKED_UP)
    .execute()
  return rows.map((row) => row.id)
}

/** Returns the ids of the active accounts, including bots; at most 101 of them. */
export function findFirstActiveUserIds(db: Db, realmId: number): readonly number[] | Promise<readonly number[]> {
  return firstActiveUserIds.get(db, realmId)
}
