import { sql } from 'kysely'
import type { Db, Transaction } from '#storage/storage.ts'

/** Returns the bot's entries with these keys, ordered by key. If `keys` is null, it returns all entries. */
export async function findEntries(db: Db, botId: number, keys: readonly string[] | null): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('botStorage')
    .select(['key', 'value'])
    .where('botId', '=', botId)
    .$if(keys !== null, (query) => query.where('key', 'in', keys ?? []))
    .orderBy('key')
    .execute()
  return new Map(rows.map((row) => [row.key, row.value]))
}

/** Returns the total length of the bot's keys and values, in characters. */
export async function findStorageSize(db: Db, botId: number): Promise<number> {
  const row = await db
    .selectFrom('botStorage')
    .select(sql<number>`coalesce(sum(length("key") + length("value")), 0)`.as('size'))
    .where('botId', '=', botId)
    .executeTakeFirstOrThrow()
  return Number(row.size)
}

export async function saveEntries(
  tx: Transaction,
  botId: number,
  entries: readonly (readonly [key: string, value: string])[],
): Promise<void> {
  for (const [key, value] of entries) {
    await tx
      .insertInto('botStorage')
      .values({ botId, key, value })
      .onConflict((on) => on.columns(['botId', 'key']).doUpdateSet({ value }))
      .execute()
  }
}

export async function deleteEntries(tx: Transaction, botId: number, keys: readonly string[] | null): Promise<void> {
  await tx
    .deleteFrom('botStorage')
    .where('botId', '=', botId)
    .$if(keys !== null, (query) => query.where('key', 'in', keys ?? []))
    .execute()
}
