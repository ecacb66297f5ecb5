import { viewerOf } from '#groups/viewer.ts'
import { parseJson } from '#http/params.ts'
import { deletePayloads } from '#integrations/queries.ts'
import { refusal } from '#lib/errors.ts'
import { isBotManager } from '#people/access.ts'
import { deleteAllApiKeys, findApiKeys, issueApiKey, lockKeys, MAX_API_KEYS, replaceApiKeys } from '#people/api-keys.ts'
import { recordAudit } from '#people/audit.ts'
import {
  findBotService,
  isNameTaken,
  newToken,
  type ServiceAddress,
  saveBotService,
  toServicesJson,
} from '#people/bots.ts'
import { MAX_BOTS_PER_DAY, requireBelowDailyLimit } from '#people/creation-limits.ts'
import { isEmailAddress } from '#people/email-addresses.ts'
import { botAdded, botRemoved, userChanged } from '#people/user-json.ts'
import {
  findUser,
  findUsersByDeliveryEmail,
  lockEmailAddresses,
  saveUser,
  saveUserFields,
} from '#people/user-queries.ts'
import { type Actor, isBot, requireFullName, type User } from '#people/users.ts'
import { type Realm, realmAddress } from '#realms/realm.ts'
import { BotType, Role, ServiceInterface } from '#rules/role.ts'
import type { Transaction } from '#storage/storage.ts'
import { requireMayHaveBot } from './access.ts'
import { notifyBotChange } from './account-emails.ts'
import { botNameTaken, emitUserCreated, reactivateUser, setRole } from './change-users.ts'
import { accountIds, emitBotChange, emitTo, findBotJson, findUserAudience } from './user-events.ts'

// Creating bots, and changing their owner, their keys and the service of an outgoing webhook. The owner of a
// bot gets an email when another account gains access to its messages.

export const badUserName = refusal('BAD_REQUEST', 400, 'Bad name or username', { field: 'short_name' })
export const userNameTaken = refusal('BAD_REQUEST', 400, 'Username already in use', { field: 'short_name' })

type NewBot = {
  fullName: string
  /** The part of the bot's address before `-bot`. */
  shortName: string
  botType: number
  service: ServiceAddress | null
  /** The name of the client that makes the request. It becomes the name of the API key. */
  client: string
}

/** Creates a bot that belongs to the actor, with its first API key, and emails the actor about it. */
export async function createBot(tx: Transaction, actor: Actor, bot: NewBot): Promise<{ bot: User; apiKey: string }> {
  const { realm } = actor
  const fullName = requireFullName(bot.fullName)
  const deliveryEmail = requireBotAddress(bot.shortName, realm, tx.db.settings.EXTERNAL_URL)
  await lockEmailAddresses(tx, realm.id)
  if ((await findUsersByDeliveryEmail(tx.db, realm.id, [deliveryEmail])).length > 0) throw userNameTaken()
  await requireMayHaveBot(viewerOf(tx.db, actor, tx.now), bot.botType)
  if (await isNameTaken(tx.db, realm.id, fullName)) throw botNameTaken()
  const creations = { table: 'users', by: 'botOwnerId', at: 'joinedAt', plural: 'bots' } as const
  await requireBelowDailyLimit(tx.db, actor, creations, { count: 1, limit: MAX_BOTS_PER_DAY, now: tx.now })

  const account = { realmId: realm.id, deliveryEmail, fullName, role: Role.member, botOwnerId: actor.id }
  const created = await saveUser(tx, { ...account, botType: bot.botType })
  await recordAudit(tx, realm.id, 'bot_created', { targetId: created.id, type: bot.botType, role: created.role })
  if (bot.service !== null) await saveBotService(tx, created.id, { ...bot.service, token: newToken(tx.random) })
  const apiKey = await issueApiKey(tx, created.id, bot.client)
  await emitUserCreated(tx, realm, created)
  await notifyBotChange(tx, { owner: actor, actor, bot: created }, 'created')
  return { bot: created, apiKey }
}

function requireBotAddress(shortName: string, realm: Realm, externalUrl: string): string {
  const localPart = `${shortName.trim()}-bot`
  // Only the local part is validated, because the host need not receive email.
  if (shortName.trim() === '' || !isEmailAddress(`${localPart}@example.com`)) throw badUserName()
  return `${localPart}@${realmAddress(realm.subdomain, externalUrl).hostName}`
}

export const noSuchOwner = refusal('BAD_REQUEST', 400, 'Failed to change owner, no such user', {
  field: 'bot_owner_id',
})
export const ownerDeactivated = refusal('BAD_REQUEST', 400, 'Failed to change owner, user is deactivated', {
  field: 'bot_owner_id',
})
export const ownerIsBot = refusal('BAD_REQUEST', 400, "Failed to change owner, bots can't own other bots", {
  field: 'bot_owner_id',
})
export const reactivatedNameTaken = refusal(
  'BAD_REQUEST',
  400,
  'There is already an active account named "{name}" in this organization. Rename or deactivate it to reactivate this bot.',
  { field: 'full_name' },
)

export const tooManyKeys = refusal(
  'BAD_REQUEST',
  400,
  'This bot already has {limit} API keys. Replace its keys, or use another bot.',
)

/**
 * Changes the owner of a bot. If the bot has a higher role than the new owner, it gets the owner's role. Its API keys
 * are deleted, so that the former owner loses access, and the payloads of its deliveries, which the new owner could
 * otherwise send to themselves. The former owner gets an email if someone else did it.
 */
export async function changeBotOwner(tx: Transaction, actor: Actor, bot: User, ownerId: number): Promise<void> {
  const owner = await findUser(tx.db, ownerId)
  if (owner === null || owner.realmId !== actor.realmId) throw noSuchOwner()
  if (owner.deactivatedAt !== null) throw ownerDeactivated()
  if (isBot(owner)) throw ownerIsBot()
  if (bot.botOwnerId === owner.id) return
  const before = bot.botOwnerId === null ? null : await findUser(tx.db, bot.botOwnerId)
  const changed = { ...bot, botOwnerId: owner.id }
  await saveUserFields(tx, bot.id, { botOwnerId: owner.id })

  const { realm } = actor
  await recordAudit(tx, realm.id, 'bot_owner_changed', { targetId: bot.id, from: bot.botOwnerId, to: owner.id })
  if (before !== null && !isBotManager(before, changed)) emitTo(tx, realm, botRemoved(bot.id), [before.id])
  if (!isBotManager(owner, bot)) emitTo(tx, realm, botAdded(await findBotJson(tx, realm, changed)), [owner.id])
  await emitBotChange(tx, realm, changed, { owner_id: owner.id })
  const { viewers } = await findUserAudience(tx, realm, changed)
  emitTo(tx, realm, userChanged(bot.id, { bot_owner_id: owner.id }), accountIds(viewers))
  if (changed.role < owner.role) await setRole(tx, realm, changed, owner.role)
  await deleteAllApiKeys(tx, bot.id)
  await deletePayloads(tx, bot.id)
  await renewToken(tx, realm, changed)
  if (before !== null) await notifyBotChange(tx, { owner: before, actor, bot }, 'owner changed')
}

/** Changes the URL to which an outgoing-webhook bot sends messages, or the format of these messages. */
export async function changeBotService(
  tx: Transaction,
  actor: Actor,
  bot: User,
  given: Partial<ServiceAddress>,
): Promise<void> {
  const current = await findBotService(tx.db, bot.id)
  if (current === null) return
  const service = { ...current, ...given }
  await saveBotService(tx, bot.id, service)
  await emitBotChange(tx, actor.realm, bot, { services: toServicesJson(service) })
  if (service.payloadUrl === current.payloadUrl) return
  await recordAudit(tx, bot.realmId, 'bot_address_changed', { targetId: bot.id })
  await notifyOwner(tx, actor, bot, 'url changed')
}

/**
 * Replaces all API keys of the bot and the token of its outgoing webhook, and emails the owner if someone else did it.
 * Returns the new API key.
 */
export async function replaceBotKeys(tx: Transaction, actor: Actor, bot: User, client: string): Promise<string> {
  await renewToken(tx, actor.realm, bot)
  await recordAudit(tx, bot.realmId, 'api_keys_replaced', { targetId: bot.id })
  await notifyOwner(tx, actor, bot, 'keys replaced')
  return replaceApiKeys(tx, bot.id, client)
}

/**
 * Adds an API key to the bot and returns it. Refuses if the bot has the maximum number of keys: the services that use
 * one of them would fail without it. Emails the owner if someone else did it.
 */
export async function addBotKey(tx: Transaction, actor: Actor, bot: User, client: string): Promise<string> {
  await lockKeys(tx, bot.id)
  const keys = (await findApiKeys(tx.db, bot.id)).filter(({ isFromLogin }) => !isFromLogin)
  if (keys.length >= MAX_API_KEYS) throw tooManyKeys({ limit: MAX_API_KEYS })
  await recordAudit(tx, bot.realmId, 'api_key_created', { targetId: bot.id })
  await notifyOwner(tx, actor, bot, 'key added')
  return issueApiKey(tx, bot.id, client)
}

async function notifyOwner(
  tx: Transaction,
  actor: Actor,
  bot: User,
  change: 'keys replaced' | 'key added' | 'url changed',
) {
  const owner = bot.botOwnerId === null ? null : await findUser(tx.db, bot.botOwnerId)
  if (owner !== null) await notifyBotChange(tx, { owner, actor, bot }, change)
}

/** Replaces the token of an outgoing webhook. */
async function renewToken(tx: Transaction, realm: Realm, bot: User): Promise<void> {
  const service = await findBotService(tx.db, bot.id)
  if (service === null) return
  const renewed = { ...service, token: newToken(tx.random) }
  await saveBotService(tx, bot.id, renewed)
  await emitBotChange(tx, realm, bot, { services: toServicesJson(renewed) })
}

/**
 * Reactivates a bot. Refuses unless the actor may create bots of its type. The actor becomes the owner if the bot has
 * no active owner.
 */
export async function reactivateBot(tx: Transaction, actor: Actor, bot: User): Promise<void> {
  if (bot.deactivatedAt === null) return
  await requireMayHaveBot(viewerOf(tx.db, actor, tx.now), bot.botType ?? 0)
  if (await isNameTaken(tx.db, actor.realmId, bot.fullName)) throw reactivatedNameTaken({ name: bot.fullName })
  await reactivateUser(tx, actor.realm, bot)
  const owner = bot.botOwnerId === null ? null : await findUser(tx.db, bot.botOwnerId)
  if (owner === null || owner.deactivatedAt !== null)
    await changeBotOwner(tx, actor, { ...bot, deactivatedAt: null }, actor.id)
}

export const invalidBotType = refusal('BAD_REQUEST', 400, 'Invalid bot type', { field: 'bot_type' })
export const embeddedBotsDisabled = refusal('BAD_REQUEST', 400, 'Embedded bots are not enabled.', { field: 'bot_type' })
export const invalidInterface = refusal('BAD_REQUEST', 400, 'Invalid interface type', { field: 'interface_type' })
export const notAUrl = refusal('BAD_REQUEST', 400, '{name} is not a URL', { field: '{name}' })

/** Returns the type of a new bot. Refuses types other than generic, incoming webhook and outgoing webhook. */
export function requireBotType(botType: number): number {
  if (botType === BotType.embedded) throw embeddedBotsDisabled()
  if (!(Object.values(BotType) as number[]).includes(botType)) throw invalidBotType()
  return botType
}

export function requireInterface(number: number): number {
  if (!(Object.values(ServiceInterface) as number[]).includes(number)) throw invalidInterface()
  return number
}

const MAX_URL_LENGTH = 2000

/** Returns the HTTP URL in the parameter `name`. Clients send it as plain text or as a JSON string. */
export function requireUrl(name: string, given: string): string {
  const value = given.startsWith('"') ? parseJson(given)?.value : given
  const url = typeof value === 'string' && value.length <= MAX_URL_LENGTH ? URL.parse(value) : null
  if (url === null || !/^https?:$/.test(url.protocol)) throw notAUrl({ name })
  return url.href
}
