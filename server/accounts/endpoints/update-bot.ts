import { z } from 'zod'
import { viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { deletePayloads } from '#integrations/queries.ts'
import { refusal } from '#lib/errors.ts'
import {
  insufficientPermission,
  isBotManager,
  mustBeAdministrator,
  mustBeOwner,
  noSuchBot,
  requireManageableBot,
  userDeactivated,
} from '#people/access.ts'
import { deleteAllApiKeys, findApiKeys, issueApiKey, lockKeys, MAX_API_KEYS, replaceApiKeys } from '#people/api-keys.ts'
import { recordAudit } from '#people/audit.ts'
import {
  botDefaultFields,
  botDefaults,
  findBotService,
  isNameTaken,
  newToken,
  type ServiceAddress,
  saveBotService,
  toServicesJson,
} from '#people/bots.ts'
import { botAdded, botRemoved, userChanged } from '#people/user-json.ts'
import { findUser, saveUserFields } from '#people/user-queries.ts'
import { type Actor, apiEmail, fullNameRefusals, isBot, ownAvatarUrl, type User } from '#people/users.ts'
import type { Realm } from '#realms/realm.ts'
import { isRole, type Role } from '#rules/role.ts'
import type { Transaction } from '#storage/storage.ts'
import { botAboveOwner, requireMayHaveBot } from '../access.ts'
import { notifyBotChange } from '../emails.ts'
import {
  requirePasswordOfSession,
  requireUnchangedPassword,
  sessionPassword,
  sessionPasswordRefusals,
} from '../passwords.ts'
import { accountIds, emitBotChange, emitTo, findBotJson, findUserAudience } from '../user-events.ts'
import { botNameTaken, changeFullName, changeRole, deactivateUser, reactivateUser, setRole } from '../users.ts'
import { invalidInterface, notAUrl, requireInterface, requireUrl } from './bot-params.ts'

const noSuchOwner = refusal('BAD_REQUEST', 400, 'Failed to change owner, no such user', {
  field: 'bot_owner_id',
})
const ownerDeactivated = refusal('BAD_REQUEST', 400, 'Failed to change owner, user is deactivated', {
  field: 'bot_owner_id',
})
const ownerIsBot = refusal('BAD_REQUEST', 400, "Failed to change owner, bots can't own other bots", {
  field: 'bot_owner_id',
})
export const reactivatedNameTaken = refusal(
  'BAD_REQUEST',
  400,
  'There is already an active account named "{name}" in this organization. Rename or deactivate it to reactivate this bot.',
  { field: 'full_name' },
)

const tooManyKeys = refusal(
  'BAD_REQUEST',
  400,
  'This bot already has {limit} API keys. Replace its keys, or use another bot.',
)

/**
 * Changes the owner of a bot. If the bot has a higher role than the new owner, it gets the owner's role. Its API keys
 * are deleted, so that the former owner loses access, and the payloads of its deliveries, which the new owner could
 * otherwise send to themselves. The former owner gets an email if someone else did it.
 */
async function changeBotOwner(tx: Transaction, actor: Actor, bot: User, ownerId: number): Promise<void> {
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
async function changeBotService(
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
async function replaceBotKeys(tx: Transaction, actor: Actor, bot: User, client: string): Promise<string> {
  await renewToken(tx, actor.realm, bot)
  await recordAudit(tx, bot.realmId, 'api_keys_replaced', { targetId: bot.id })
  await notifyOwner(tx, actor, bot, 'keys replaced')
  return replaceApiKeys(tx, bot.id, client)
}

/**
 * Adds an API key to the bot and returns it. Refuses if the bot has the maximum number of keys: the services that use
 * one of them would fail without it. Emails the owner if someone else did it.
 */
async function addBotKey(tx: Transaction, actor: Actor, bot: User, client: string): Promise<string> {
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

export const updateBot = endpoint({
  route: 'PATCH /bots/{bot_id}',
  summary: 'Change a bot',
  description:
    'Requires the owner of the bot or an administrator. Only administrators can change its role, which cannot be higher than that of its owner. Bots of organization owners can only be changed by organization owners. If the new owner has a lower role, the bot gets that role, too. A new owner has to create a new API key, because the old ones stop working. Only changes of the owner and of `service_payload_url` need the password.',
  who: 'member',
  params: {
    full_name: z.string().optional(),
    role: z.int().refine(isRole).optional(),
    bot_owner_id: z.int().optional(),
    service_payload_url: z.string().optional().describe('The URL to which an outgoing webhook sends messages.'),
    service_interface: z.int().optional().describe('The format of these messages: 1 generic, 2 Slack.'),
    password: sessionPassword,
  },
  returns: {
    full_name: z.string(),
    avatar_url: z.string(),
    service_payload_url: z.string().nullable(),
    service_interface: z.int().nullable(),
    bot_owner: z.string().optional().describe("The owner's API email address."),
    ...botDefaultFields,
  },
  refuses: [
    noSuchBot,
    insufficientPermission,
    ...fullNameRefusals,
    botNameTaken,
    botAboveOwner,
    mustBeAdministrator,
    mustBeOwner,
    noSuchOwner,
    ownerDeactivated,
    ownerIsBot,
    notAUrl,
    invalidInterface,
    ...sessionPasswordRefusals,
  ],
  async handle(call, params) {
    const { actor, settings, transaction } = call
    const service: Partial<ServiceAddress> = {
      ...(params.service_payload_url !== undefined && {
        payloadUrl: requireUrl('service_payload_url', params.service_payload_url),
      }),
      ...(params.service_interface !== undefined && { interface: requireInterface(params.service_interface) }),
    }
    const needsPassword = params.bot_owner_id !== undefined || service.payloadUrl !== undefined
    const verified = needsPassword ? await requirePasswordOfSession(call, params.password) : null
    const { bot, owner, changed } = await transaction(async (tx) => {
      if (verified !== null) await requireUnchangedPassword(tx, actor.id, verified)
      const target = () => requireManageableBot(tx.db, actor, params.bot_id)
      if (params.full_name !== undefined) await changeFullName(tx, actor.realm, await target(), params.full_name)
      if (params.role !== undefined) await changeRole(tx, actor, await target(), params.role as Role)
      if (Object.keys(service).length > 0) await changeBotService(tx, actor, await target(), service)
      const before = await target()
      // The owner is changed last, because the actor may then lose access to the bot.
      if (params.bot_owner_id !== undefined) await changeBotOwner(tx, actor, before, params.bot_owner_id)
      const bot = (await findUser(tx.db, before.id)) ?? before
      const owner: User | null = bot.botOwnerId === null ? null : await findUser(tx.db, bot.botOwnerId)
      return { bot, owner, changed: await findBotService(tx.db, bot.id) }
    })
    return {
      full_name: bot.fullName,
      avatar_url: ownAvatarUrl(bot),
      service_payload_url: changed?.payloadUrl ?? null,
      service_interface: changed?.interface ?? null,
      ...(owner !== null && { bot_owner: apiEmail(owner, actor.realm, settings.EXTERNAL_URL) }),
      ...botDefaults,
    }
  },
})

export const deactivateBot = endpoint({
  route: 'DELETE /bots/{bot_id}',
  summary: 'Deactivate a bot',
  description:
    'Requires the owner of the bot or an administrator. Bots of organization owners can only be deactivated by organization owners. Messages are kept.',
  who: 'member',
  refuses: [noSuchBot, insufficientPermission, mustBeOwner, userDeactivated],
  async handle(call, { bot_id }) {
    const { actor, transaction } = call
    await transaction(async (tx) => {
      const bot = await requireManageableBot(tx.db, actor, bot_id)
      if (bot.deactivatedAt !== null) throw userDeactivated()
      await deactivateUser(tx, actor.realm, bot)
    })
    return {}
  },
})

export const regenerateBotApiKey = endpoint({
  route: 'POST /bots/{bot_id}/api_key/regenerate',
  summary: 'Replace all API keys of a bot',
  description:
    'Requires the owner of the bot or an administrator; for bots of organization owners, an organization owner. The new key is returned only here. The token of an outgoing webhook is also replaced.',
  who: 'member',
  params: { password: sessionPassword },
  returns: { api_key: z.string() },
  refuses: [noSuchBot, insufficientPermission, mustBeOwner, ...sessionPasswordRefusals],
  async handle(call, { bot_id, password }) {
    const { actor, client, transaction } = call
    const verified = await requirePasswordOfSession(call, password)
    const key = await transaction(async (tx) => {
      await requireUnchangedPassword(tx, actor.id, verified)
      const bot = await requireManageableBot(tx.db, actor, bot_id)
      return replaceBotKeys(tx, actor, bot, client)
    })
    return { api_key: key }
  },
})

export const createBotApiKey = endpoint({
  route: 'POST /bots/{bot_id}/api_keys',
  summary: 'Add an API key to a bot',
  description: `The other keys of the bot stay valid; it can have ${MAX_API_KEYS}. Requires the same permission as replacing them. The new key is returned only here.`,
  who: 'member',
  params: { password: sessionPassword },
  returns: { api_key: z.string() },
  refuses: [noSuchBot, insufficientPermission, mustBeOwner, userDeactivated, tooManyKeys, ...sessionPasswordRefusals],
  async handle(call, { bot_id, password }) {
    const { actor, client, transaction } = call
    const verified = await requirePasswordOfSession(call, password)
    const key = await transaction(async (tx) => {
      await requireUnchangedPassword(tx, actor.id, verified)
      const bot = await requireManageableBot(tx.db, actor, bot_id)
      if (bot.deactivatedAt !== null) throw userDeactivated()
      return addBotKey(tx, actor, bot, client)
    })
    return { api_key: key }
  },
})
