import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import {
  insufficientPermission,
  mustBeAdministrator,
  mustBeOwner,
  noSuchBot,
  requireManageableBot,
  userDeactivated,
} from '#people/access.ts'
import { MAX_API_KEYS } from '#people/api-keys.ts'
import { botDefaultFields, botDefaults, findBotService, type ServiceAddress } from '#people/bots.ts'
import { findUser } from '#people/user-queries.ts'
import { apiEmail, fullNameRefusals, ownAvatarUrl, type User } from '#people/users.ts'
import { isRole, type Role } from '#rules/role.ts'
import { botAboveOwner } from '../access.ts'
import {
  addBotKey,
  changeBotOwner,
  changeBotService,
  invalidInterface,
  noSuchOwner,
  notAUrl,
  ownerDeactivated,
  ownerIsBot,
  replaceBotKeys,
  requireInterface,
  requireUrl,
  tooManyKeys,
} from '../change-bots.ts'
import { botNameTaken, changeFullName, changeRole, deactivateUser } from '../change-users.ts'
import {
  requirePasswordOfSession,
  requireUnchangedPassword,
  sessionPassword,
  sessionPasswordRefusals,
} from '../password-checks.ts'

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
