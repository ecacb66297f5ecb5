import { sql } from 'kysely'
import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { refusal } from '#lib/errors.ts'
import { type Actor, isBot } from '#people/users.ts'
import type { Db, Transaction } from '#storage/storage.ts'

// The storage of bots: texts by key, of limited total size, which only the bot itself can read and change.

/** Returns the bot's entries with these keys, ordered by key. If `keys` is null, it returns all entries. */
async function findEntries(db: Db, botId: number, keys: readonly string[] | null): Promise<Map<string, string>> {
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
async function findStorageSize(db: Db, botId: number): Promise<number> {
  const row = await db
    .selectFrom('botStorage')
    .select(sql<number>`coalesce(sum(length("key") + length("value")), 0)`.as('size'))
    .where('botId', '=', botId)
    .executeTakeFirstOrThrow()
  return Number(row.size)
}

async function saveEntries(
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

async function deleteEntries(tx: Transaction, botId: number, keys: readonly string[] | null): Promise<void> {
  await tx
    .deleteFrom('botStorage')
    .where('botId', '=', botId)
    .$if(keys !== null, (query) => query.where('key', 'in', keys ?? []))
    .execute()
}

const botsOnly = refusal('BAD_REQUEST', 400, 'This endpoint only accepts bot requests.')
const noSuchKey = refusal('BAD_REQUEST', 400, 'Key does not exist.')
const storageFull = refusal('BAD_REQUEST', 400, 'Request exceeds storage limit of {limit} characters.')

/** The maximum total length of a bot's keys and values, in characters. */
const MAX_CHARACTERS = 10_000_000

function requireBot(actor: Actor): void {
  if (!isBot(actor)) throw botsOnly()
}

/** Returns the bot's entries with these keys. If `keys` is null, it returns all entries. Refuses unknown keys. */
async function requireEntries(db: Db, botId: number, keys: readonly string[] | null): Promise<Record<string, string>> {
  const entries = await findEntries(db, botId, keys)
  if (keys?.some((key) => !entries.has(key))) throw noSuchKey()
  return Object.fromEntries(entries)
}

/** Adds or replaces entries. Refuses if the storage would exceed its limit. */
async function storeEntries(tx: Transaction, botId: number, entries: Record<string, string>): Promise<void> {
  await saveEntries(tx, botId, Object.entries(entries))
  if ((await findStorageSize(tx.db, botId)) > MAX_CHARACTERS) throw storageFull({ limit: MAX_CHARACTERS })
}

/** Removes the bot's entries with these keys. If `keys` is null, it removes all entries. Refuses unknown keys. */
async function removeEntries(tx: Transaction, botId: number, keys: readonly string[] | null): Promise<void> {
  if (keys !== null) await requireEntries(tx.db, botId, keys)
  await deleteEntries(tx, botId, keys)
}

/** The maximum number of entries in one request. */
const MAX_KEYS = 1000

const keys = z.array(z.string()).max(MAX_KEYS).optional().describe('If omitted, all keys.')

const getBotStorage = endpoint({
  route: 'GET /bot_storage',
  summary: 'List the stored entries of a bot',
  description: 'Each bot has its own storage.',
  who: 'user',
  params: { keys },
  returns: { storage: z.record(z.string(), z.string()) },
  refuses: [botsOnly, noSuchKey],
  async handle({ db, actor }, given) {
    requireBot(actor)
    return { storage: await requireEntries(db, actor.id, given.keys ?? null) }
  },
})

const putBotStorage = endpoint({
  route: 'PUT /bot_storage',
  summary: 'Store entries for a bot',
  description: 'At most 10,000,000 characters in total. Other entries stay unchanged.',
  who: 'user',
  params: {
    storage: z
      .record(z.string().max(200), z.string())
      .refine((entries) => Object.keys(entries).length <= MAX_KEYS)
      .describe('Values by key.'),
  },
  refuses: [botsOnly, storageFull],
  async handle({ transaction, actor }, given) {
    requireBot(actor)
    await transaction((tx) => storeEntries(tx, actor.id, given.storage))
    return {}
  },
})

const deleteBotStorage = endpoint({
  route: 'DELETE /bot_storage',
  summary: 'Delete stored entries of a bot',
  who: 'user',
  params: { keys },
  refuses: [botsOnly, noSuchKey],
  async handle({ transaction, actor }, given) {
    requireBot(actor)
    await transaction((tx) => removeEntries(tx, actor.id, given.keys ?? null))
    return {}
  },
})

export const botStorageEndpoints = [getBotStorage, putBotStorage, deleteBotStorage]
