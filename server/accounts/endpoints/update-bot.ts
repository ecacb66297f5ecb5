import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { logActorEvent } from '#http/security-log.ts'
import {
  insufficientPermission,
  mustBeAdministrator,
  mustBeOwner,
  noSuchBot,
  requireManageableBot,
} from '#people/users/access.ts'
import { botDefaultFields, botDefaults, type ServiceAddress } from '#people/users/bots/bot.ts'
import { findBotService } from '#people/users/bots/bot-queries.ts'
import { fullNameRefusals } from '#people/users/full-name.ts'
import { findUser } from '#people/users/queries.ts'
import { apiEmail, ownAvatarUrl, type User } from '#people/users/user.ts'
import { isRole, type Role } from '#rules/role.ts'
import { botAboveOwner } from '../access.ts'
import { changeBotOwner, changeBotService, noSuchOwner, ownerDeactivated, ownerIsBot } from '../change-bot.ts'
import { botNameTaken, changeFullName, changeRole } from '../change-user.ts'
import { invalidInterface, notAUrl, requireInterface, requireUrl } from './bot-params.ts'
import {
  requirePasswordOfSession,
  requireUnchangedPassword,
  sessionPassword,
  sessionPasswordRefusals,
} from './current-password.ts'

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
    const { first, bot, owner, changed } = await transaction(async (tx) => {
      if (verified !== null) await requireUnchangedPassword(tx, actor.id, verified)
      const target = () => requireManageableBot(tx.db, actor, params.bot_id)
      const first = await target()
      if (params.full_name !== undefined) await changeFullName(tx, actor.realm, await target(), params.full_name)
      if (params.role !== undefined) await changeRole(tx, actor, await target(), params.role as Role)
      if (Object.keys(service).length > 0) await changeBotService(tx, actor, await target(), service)
      const before = await target()
      // The owner is changed last, because the actor may then lose access to the bot.
      if (params.bot_owner_id !== undefined) await changeBotOwner(tx, actor, before, params.bot_owner_id)
      const bot = (await findUser(tx.db, before.id)) ?? before
      const owner: User | null = bot.botOwnerId === null ? null : await findUser(tx.db, bot.botOwnerId)
      return { first, bot, owner, changed: await findBotService(tx.db, bot.id) }
    })
    const { id: targetId, role, botOwnerId } = bot
    if (role !== first.role) logActorEvent(call, 'role_changed', { targetId, role })
    if (botOwnerId !== first.botOwnerId && botOwnerId !== null)
      logActorEvent(call, 'bot_owner_changed', { targetId, owner_id: botOwnerId })
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
