import { sql } from 'kysely'
import { defineCache } from '../storage/cache.ts'
import { integerAt, jsonList, realAt } from '../storage/json-list.ts'
import type { Db, Transaction } from '../storage/storage.ts'
import { readUserSettings } from '../users/settings.ts'
import type { PresenceRow } from './entry.ts'
import { type Person, personOf } from './person.ts'
import type { StoredEntry } from './realm-board.ts'

const personColumns = ['id', 'joinedAt', 'deliveryEmail', 'botType', 'deactivatedAt', 'settings'] as const

type PersonRow = Omit<Parameters<typeof personOf>[0], 'settings'> & { settings: string }

/** The settings that a person depends on; most people never changed them, and reading all the others takes long. */
const SETTINGS_THAT_MATTER = /"(presence_enabled|email_address_visibility)"/

const toPerson = (row: PersonRow) =>
  personOf({ ...row, settings: readUserSettings(SETTINGS_THAT_MATTER.test(row.settings) ? row.settings : '{}') })

/** All accounts of the organization, whether or not anything of their presence is shown. */
export async function findPeople(db: Db, realmId: number): Promise<Person[]> {
  const rows = await db.selectFrom('users').select(personColumns).where('realmId', '=', realmId).execute()
  return rows.map(toPerson)
}

/** What is stored of the organization's presences, in the order of update ids. */
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

/** 0 when no update id of the organization was ever given out. */
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

/** Lowers a ceiling to what was given out in truth, unless somebody else raised it. */
export async function lowerCeiling(tx: Transaction, realmId: number, from: number, to: number): Promise<void> {
  await tx
    .updateTable('presenceCeilings')
    .set({ ceiling: to })
    .where('realmId', '=', realmId)
    .where('ceiling', '=', from)
    .execute()
}

/** Writes the rows; one that is stored with a higher update id stays as it is. */
export async function savePresences(tx: Transaction, rows: readonly PresenceRow[]): Promise<void> {
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
        // SQLite would read the ON of the conflict as that of a join.
        .where(sql<boolean>`true`),
    )
    .onConflict((on) =>
      on
        .column('userId')
        .doUpdateSet((row) => ({
          lastActiveAt: row.ref('excluded.lastActiveAt'),
          lastConnectedAt: row.ref('excluded.lastConnectedAt'),
          updateId: row.ref('excluded.updateId'),
        }))
        .whereRef('presences.updateId', '<', 'excluded.updateId'),
    )
    .execute()
}

/** How many hearers of an event are looked up: enough to know that they are too many. */
const HEARERS_FOUND = 101

const someActiveUserIds = defineCache<number, readonly number[]>({
  dependsOn: ['users'],
  limit: 1000,
  async load(db, realmId) {
    const rows = await db
      .selectFrom('users')
      .select('id')
      .where('realmId', '=', realmId)
      .where('deactivatedAt', 'is', null)
      .limit(HEARERS_FOUND)
      .execute()
    return rows.map((row) => row.id)
  },
})

/** The ids of all who have an account now, bots included; of 101 of them where they are more. */
export function findSomeActiveUserIds(db: Db, realmId: number): readonly number[] | Promise<readonly number[]> {
  return someActiveUserIds.get(db, realmId)
}
