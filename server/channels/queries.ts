import { refusal } from '#lib/errors.ts'
import { RETENTION_GRACE_PERIOD } from '#realms/message-retention.ts'
import { bypassCaches, defineCache } from '#storage/cache.ts'
import { idsIn } from '#storage/sql.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import {
  type Channel,
  type ChannelSettings,
  channelNameKey,
  MAX_CHANNEL_NAME_LENGTH,
  readChannelSettings,
  requireChannelName,
} from './channel.ts'

// The rows of channels. Single channels and lookups by name come from caches. A transaction that creates or renames
// channels locks names, so that no two channels get the same one.

const channelColumns = [
  'id',
  'realmId',
  'recipientId',
  'name',
  'description',
  'renderedDescription',
  'isPrivate',
  'isWebPublic',
  'isHistoryShared',
  'creatorId',
  'createdAt',
  'archivedAt',
  'messageRetentionDays',
  'settings',
] as const

type ChannelRow = Omit<Channel, 'isPrivate' | 'isWebPublic' | 'isHistoryShared' | 'settings'> & {
  isPrivate: number
  isWebPublic: number
  isHistoryShared: number
  settings: string
}

const toChannel = (row: ChannelRow): Channel => ({
  ...row,
  isPrivate: row.isPrivate === 1,
  isWebPublic: row.isWebPublic === 1,
  isHistoryShared: row.isHistoryShared === 1,
  settings: readChannelSettings(row.settings, row.creatorId),
})

const channelById = defineCache<number, Channel | null>({
  dependsOn: ['channels'],
  limit: 10_000,
  async load(db, id) {
    const row = await db.selectFrom('channels').select(channelColumns).where('id', '=', id).executeTakeFirst()
    return row === undefined ? null : toChannel(row)
  },
  async loadSeveral(db, ids) {
    const rows = await db
      .selectFrom('channels')
      .select(channelColumns)
      // A larger number is the id of nothing, and PostgreSQL refuses it.
      .where('id', 'in', idsIn(db.dialect, JSON.stringify(ids.filter(Number.isSafeInteger))))
      .execute()
    return rows.map((row) => [row.id, toChannel(row)])
  },
})

/** Returns the channel with this id, which may be archived. Returns null if it belongs to another organization. */
export async function findChannel(db: Db, realmId: number, id: number): Promise<Channel | null> {
  const channel = await channelById.get(db, id)
  return channel?.realmId === realmId ? channel : null
}

/**
 * Returns the channels of the organization with these ids, including archived ones. One query reads all channels that
 * are not cached.
 */
export async function findChannelsById(db: Db, realmId: number, ids: readonly number[]): Promise<Channel[]> {
  const channels = await channelById.getSeveral(db, ids)
  return channels.filter((channel) => channel !== null).filter((channel) => channel.realmId === realmId)
}

const channelByName = defineCache<string, Channel | null>({
  dependsOn: ['channels'],
  limit: 10_000,
  async load(db, key) {
    const separator = key.indexOf(' ')
    const row = await db
      .selectFrom('channels')
      .select(channelColumns)
      .where('realmId', '=', Number(key.slice(0, separator)))
      .where('nameKey', '=', key.slice(separator + 1))
      .executeTakeFirst()
    return row === undefined ? null : toChannel(row)
  },
})

/** Returns the organization's channel with this name, ignoring case. The channel may be archived. */
export async function findChannelByName(db: Db, realmId: number, name: string): Promise<Channel | null> {
  // A longer string cannot be a name, and would only fill the cache.
  if (name.length > 2 * MAX_CHANNEL_NAME_LENGTH) return null
  return channelByName.get(db, `${realmId} ${channelNameKey(name)}`)
}

/**
 * Returns the organization's channels with these names, ignoring case, in no particular order. Archived channels are
 * included. Reads the database instead of the cache.
 */
export async function findChannelsByName(db: Db, realmId: number, names: readonly string[]): Promise<Channel[]> {
  const rows = await db
    .selectFrom('channels')
    .select(channelColumns)
    .where('realmId', '=', realmId)
    .where('nameKey', 'in', names.map(channelNameKey))
    .execute()
  return rows.map(toChannel)
}

/** The maximum number of names that are looked up one by one in the cache. */
const MAX_CACHED_LOOKUPS = 8

/** Returns the organization's channels with these names by `channelNameKey`, including archived ones. */
async function findChannelsByNameKey(db: Db, realmId: number, names: readonly string[]): Promise<Map<string, Channel>> {
  const found =
    names.length <= MAX_CACHED_LOOKUPS
      ? await Promise.all(names.map((name) => findChannelByName(db, realmId, name)))
      : await findChannelsByName(db, realmId, names)
  return byNameKey(found.filter((channel) => channel !== null))
}

/**
 * Waits until no other transaction is changing the channels with these names, and locks them against changes until this
 * transaction ends. Call this before taking message ids, because every transaction that changes a channel locks the
 * channel first.
 */
export async function lockChannelsByNameKey(
  tx: Transaction,
  realmId: number,
  names: readonly string[],
): Promise<Map<string, Channel>> {
  const found = await findChannelsByNameKey(tx.db, realmId, names)
  if (tx.db.dialect === 'sqlite') return found
  const ids = JSON.stringify(Array.from(found.values(), (channel) => channel.id))
  const rows = await tx.db
    .selectFrom('channels')
    .select(channelColumns)
    .where('id', 'in', idsIn(tx.db.dialect, ids))
    .orderBy('id')
    .forShare()
    .execute()
  return byNameKey(rows.map(toChannel))
}

const byNameKey = (channels: readonly Channel[]) =>
  new Map(channels.map((channel) => [channelNameKey(channel.name), channel]))

/** Returns all channels of the organization, including archived ones, ordered by id. */
export async function findRealmChannels(db: Db, realmId: number): Promise<Channel[]> {
  const rows = await db
    .selectFrom('channels')
    .select(channelColumns)
    .where('realmId', '=', realmId)
    .orderBy('id')
    .execute()
  return rows.map(toChannel)
}

export type NewChannel = {
  realmId: number
  name: string
  description: string
  renderedDescription: string
  isPrivate: boolean
  isWebPublic: boolean
  isHistoryShared: boolean
  creatorId: number | null
  createdAt?: number
  messageRetentionDays?: number | null
  settings: Partial<ChannelSettings>
}

export async function saveChannel(tx: Transaction, channel: NewChannel): Promise<Channel> {
  const recipient = await tx
    .insertInto('recipients')
    .values({ realmId: channel.realmId })
    .returning('id')
    .executeTakeFirstOrThrow()
  const row = await tx
    .insertInto('channels')
    .values({
      ...channel,
      recipientId: recipient.id,
      nameKey: channelNameKey(channel.name),
      isPrivate: channel.isPrivate ? 1 : 0,
      isWebPublic: channel.isWebPublic ? 1 : 0,
      isHistoryShared: channel.isHistoryShared ? 1 : 0,
      createdAt: channel.createdAt ?? tx.now,
      archivedAt: null,
      messageRetentionDays: channel.messageRetentionDays ?? null,
      settings: JSON.stringify(channel.settings),
    })
    .returning(channelColumns)
    .executeTakeFirstOrThrow()
  return toChannel(row)
}

type ChannelFields = Pick<
  Channel,
  | 'name'
  | 'description'
  | 'renderedDescription'
  | 'isPrivate'
  | 'isWebPublic'
  | 'isHistoryShared'
  | 'archivedAt'
  | 'messageRetentionDays'
>

/**
 * Keeps other transactions from taking a channel name in the organization until this transaction ends, so that an
 * unused name stays unused.
 */
export async function lockChannelNames(tx: Transaction, realmId: number): Promise<void> {
  await tx.db.selectFrom('realms').select('id').where('id', '=', realmId).forNoKeyUpdate().execute()
  bypassCaches(tx)
}

/** Locks the channel against changes until the transaction ends, and returns its current state. */
export async function lockChannel(tx: Transaction, channelId: number): Promise<Channel> {
  const row = await tx.db
    .selectFrom('channels')
    .select(channelColumns)
    .where('id', '=', channelId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  return toChannel(row)
}

/** Updates the given fields. A change of the retention takes effect after RETENTION_GRACE_PERIOD. */
export async function saveChannelFields(
  tx: Transaction,
  channelId: number,
  fields: Partial<ChannelFields>,
): Promise<void> {
  const columns = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === 'boolean' ? Number(value) : value,
  ])
  const nameKey = fields.name === undefined ? {} : { nameKey: channelNameKey(fields.name), renamedAt: tx.now }
  const retentionFrom =
    fields.messageRetentionDays === undefined ? {} : { retentionFrom: tx.now + RETENTION_GRACE_PERIOD }
  await tx
    .updateTable('channels')
    .set({ ...Object.fromEntries(columns), ...nameKey, ...retentionFrom })
    .where('id', '=', channelId)
    .execute()
}

/** Updates the given settings; all others stay unchanged. */
export async function saveChannelSettings(
  tx: Transaction,
  channelId: number,
  changed: Partial<ChannelSettings>,
): Promise<void> {
  const row = await tx.db
    .selectFrom('channels')
    .select('settings')
    .where('id', '=', channelId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  const merged = { ...(JSON.parse(row.settings) as Partial<ChannelSettings>), ...changed }
  await tx
    .updateTable('channels')
    .set({ settings: JSON.stringify(merged) })
    .where('id', '=', channelId)
    .execute()
}

const defaultChannelIds = defineCache<number, ReadonlySet<number>>({
  dependsOn: ['defaultChannels'],
  limit: 1000,
  async load(db, realmId) {
    const rows = await db.selectFrom('defaultChannels').select('channelId').where('realmId', '=', realmId).execute()
    return new Set(rows.map((row) => row.channelId))
  },
})

/** Returns the ids of the channels to which new users are subscribed, including archived ones. */
export function findDefaultChannelIds(db: Db, realmId: number): ReadonlySet<number> | Promise<ReadonlySet<number>> {
  return defaultChannelIds.get(db, realmId)
}

/** Returns the default channels that are not archived. */
export async function findDefaultChannels(db: Db, realmId: number): Promise<Channel[]> {
  const channels = await findChannelsById(db, realmId, [...(await findDefaultChannelIds(db, realmId))])
  return channels.filter((channel) => channel.archivedAt === null)
}

export async function saveDefaultChannel(tx: Transaction, realmId: number, channelId: number): Promise<void> {
  await tx
    .insertInto('defaultChannels')
    .values({ realmId, channelId })
    .onConflict((on) => on.doNothing())
    .execute()
}

export async function deleteDefaultChannel(tx: Transaction, realmId: number, channelId: number): Promise<void> {
  await tx.deleteFrom('defaultChannels').where('realmId', '=', realmId).where('channelId', '=', channelId).execute()
}

export const sameChannelName = refusal('BAD_REQUEST', 400, 'Channel already has that name.', { field: 'name' })
export const channelNameTaken = refusal('BAD_REQUEST', 400, 'Channel name is already in use.', { field: 'name' })

/**
 * Returns the new name of a channel. Refuses a name that another channel has, ignoring case. A name that differs from
 * the current one only in case is accepted. The name stays reserved until the transaction ends.
 */
export async function requireUniqueChannelName(tx: Transaction, channel: Channel, given: string): Promise<string> {
  const name = requireChannelName(given)
  if (name === channel.name) throw sameChannelName()
  await lockChannelNames(tx, channel.realmId)
  const sameName = await findChannelsByName(tx.db, channel.realmId, [name])
  if (sameName.some((other) => other.id !== channel.id)) throw channelNameTaken()
  return name
}
