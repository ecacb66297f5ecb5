import { z } from 'zod'
import { mapMaybePromise } from '#lib/deferred.ts'
import { alwaysNull } from '#lib/protocol.ts'
import { type Random, randomLetters } from '#lib/secrets.ts'
import { findRealmBySubdomain, saveRealm } from '#realms/queries.ts'
import { type Realm, SYSTEM_SUBDOMAIN } from '#realms/realm.ts'
import { BotType, botRoleLimit, lowerRole, Role } from '#rules/role.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { findUser, findUserByDeliveryEmail, findUsersById, saveUser } from './user-queries.ts'
import { apiEmail, ownAvatarUrl, SYSTEM_BOT_DOMAIN, type User } from './users.ts'

// Bots as they are stored and as their managers see them, and the server's own bots. A bot acts with the role of its
// owner at most, whatever its own role is, and loses permissions together with its owner.

/** The URL to which an outgoing-webhook bot sends messages, and the format of these messages. */
export type ServiceAddress = { payloadUrl: string; interface: number }

/**
 * An outgoing webhook. Its token is sent with each message, so that the receiver can verify that the message comes from
 * this server.
 */
export type BotService = ServiceAddress & { token: string }

/** A bot as its owner and administrators see it. Its API key is returned only when the bot is created. */
export type Bot = ReturnType<typeof toBotJson>

/** The length of a token in characters. It is the same as that of API keys. */
const TOKEN_LENGTH = 32

export function newToken(random: Random): string {
  return randomLetters(random, TOKEN_LENGTH)
}

export const serviceFields = { base_url: z.string(), interface: z.int(), token: z.string() }

type ServiceJson = { base_url: string; interface: number; token: string }

/** The values of bot settings for channels and events. Parley does not support these settings. */
export const botDefaults = {
  default_sending_stream: null,
  default_events_register_stream: null,
  default_all_public_streams: false,
} as const

export const botDefaultFields = {
  default_sending_stream: alwaysNull('string'),
  default_events_register_stream: alwaysNull('string'),
  default_all_public_streams: z.literal(false),
}

export function toBotJson(bot: User, service: BotService | null, realm: Realm, externalUrl: string) {
  return {
    user_id: bot.id,
    email: apiEmail(bot, realm, externalUrl),
    full_name: bot.fullName,
    bot_type: bot.botType,
    is_active: bot.deactivatedAt === null,
    owner_id: bot.botOwnerId,
    avatar_url: ownAvatarUrl(bot),
    services: toServicesJson(service),
    ...botDefaults,
  }
}

/** Returns the entries of a bot's `services` field. */
export function toServicesJson(service: BotService | null): ServiceJson[] {
  if (service === null) return []
  return [{ base_url: service.payloadUrl, interface: service.interface, token: service.token }]
}

/**
 * Returns the highest role that a bot of this owner may have. If the owner is null or not active, it is at most member.
 */
export function highestBotRole(owner: Pick<User, 'role' | 'deactivatedAt'> | null): Role {
  return botRoleLimit(owner && { role: owner.role, isActive: owner.deactivatedAt === null })
}

/**
 * Returns the account with the role that applies to its requests. A bot never acts with a higher role than its owner
 * has. When an owner's role is lowered, those of the owner's bots are lowered as well. This check therefore matters
 * only if two changes happen at the same time.
 */
export function withActingRole(db: Db, user: User): User | Promise<User> {
  if (user.botType === null) return user
  const owner = user.botOwnerId === null ? null : findUser(db, user.botOwnerId)
  return mapMaybePromise(owner, (found) => {
    const role = lowerRole(user.role, highestBotRole(found))
    return role === user.role ? user : { ...user, role }
  })
}

/** Returns the active bots of an owner, ordered by id. */
export async function findActiveBotsOf(db: Db, ownerId: number): Promise<User[]> {
  const rows = await db
    .selectFrom('users')
    .select('id')
    .where('botOwnerId', '=', ownerId)
    .where('deactivatedAt', 'is', null)
    .execute()
  const bots = await findUsersById(
    db,
    rows.map((row) => row.id),
  )
  return bots.toSorted((one, other) => one.id - other.id)
}

/** Returns those bots of an owner whose role is higher than `role`, including deactivated ones, ordered by id. */
export async function findBotsWithHigherRole(db: Db, ownerId: number, role: Role): Promise<User[]> {
  const rows = await db
    .selectFrom('users')
    .select('id')
    .where('botOwnerId', '=', ownerId)
    .where('role', '<', role)
    .execute()
  const bots = await findUsersById(
    db,
    rows.map((row) => row.id),
  )
  return bots.toSorted((one, other) => one.id - other.id)
}

/** Returns whether an active account of the organization has exactly this name. */
export async function isNameTaken(db: Db, realmId: number, fullName: string): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where('realmId', '=', realmId)
    .where('fullName', '=', fullName)
    .where('deactivatedAt', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}

export async function findBotService(db: Db, botId: number): Promise<BotService | null> {
  const row = await db
    .selectFrom('botServices')
    .select(['payloadUrl', 'interface', 'token'])
    .where('botId', '=', botId)
    .executeTakeFirst()
  return row ?? null
}

export async function saveBotService(tx: Transaction, botId: number, service: BotService): Promise<void> {
  await tx
    .insertInto('botServices')
    .values({ botId, ...service })
    .onConflict((on) => on.column('botId').doUpdateSet(service))
    .execute()
}

/** The bots through which the server sends messages. Their addresses are reserved in all organizations. */
const systemBots = [
  { name: 'notification-bot', fullName: 'Notification Bot' },
  { name: 'welcome-bot', fullName: 'Welcome Bot' },
  { name: 'emailgateway', fullName: 'Email Gateway' },
] as const

export type SystemBotName = (typeof systemBots)[number]['name']

const addressOfBot = (name: SystemBotName) => `${name}@${SYSTEM_BOT_DOMAIN}`

const reservedAddresses = new Set(systemBots.map(({ name }) => addressOfBot(name)))

/** Returns whether an address belongs to one of the server's own bots. */
export function isSystemBotAddress(email: string): boolean {
  return (reservedAddresses as ReadonlySet<string>).has(email.toLowerCase())
}

/** Creates the realm of the system bots, and the bots, if they are missing. */
export async function ensureSystemBots(tx: Transaction): Promise<void> {
  const realm =
    (await findRealmBySubdomain(tx.db, SYSTEM_SUBDOMAIN)) ??
    (await saveRealm(tx, { subdomain: SYSTEM_SUBDOMAIN, name: 'Parley' }))
  for (const { name, fullName } of systemBots) {
    const deliveryEmail = addressOfBot(name)
    if ((await findUserByDeliveryEmail(tx.db, realm.id, deliveryEmail)) !== null) continue
    await saveUser(tx, { realmId: realm.id, deliveryEmail, fullName, role: Role.member, botType: BotType.generic })
  }
}

/**
 * Copies the organization of the system bots from the first database of an installation, so that the bots have the same
 * ids in all.
 */
export async function copySystemBots(tx: Transaction, first: Db): Promise<void> {
  const realm = await first
    .selectFrom('realms')
    .selectAll()
    .where('subdomain', '=', SYSTEM_SUBDOMAIN)
    .executeTakeFirst()
  if (realm === undefined) throw new Error('The first database has no system bots')
  for (const table of ['realms', 'recipients', 'users'] as const) {
    const rows = await first
      .selectFrom(table)
      .selectAll()
      .where(table === 'realms' ? 'id' : ('realmId' as never), '=', realm.id as never)
      .execute()
    const known = new Set(
      (
        await tx.db
          .selectFrom(table)
          .select('id')
          .where(
            'id',
            'in',
            rows.map(({ id }) => id),
          )
          .execute()
      ).map(({ id }) => id),
    )
    const missing = rows.filter(({ id }) => !known.has(id))
    if (missing.length > 0)
      await tx
        .insertInto(table)
        .values(missing as never)
        .execute()
  }
}

/** Returns one of the server's own bots. These bots are in a realm of their own, and may write to every user. */
export async function requireSystemBot(db: Db, name: SystemBotName): Promise<User> {
  const realm = await findRealmBySubdomain(db, SYSTEM_SUBDOMAIN)
  const bot = realm === null ? null : await findUserByDeliveryEmail(db, realm.id, addressOfBot(name))
  if (bot === null) throw new Error(`The system bot ${name} is missing`)
  return bot
}
