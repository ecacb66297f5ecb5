import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { logActorEvent } from '#http/security-log.ts'
import { insufficientPermission } from '#people/users/access.ts'
import { botDefaultFields, botDefaults, ServiceInterface } from '#people/users/bots/bot.ts'
import { dailyLimitReached } from '#people/users/daily-limits.ts'
import { fullNameRefusals } from '#people/users/full-name.ts'
import { ownAvatarUrl } from '#people/users/user.ts'
import { BotType } from '#rules/role.ts'
import { botNameTaken } from '../change-user.ts'
import { badUserName, createBot, userNameTaken } from '../create-bot.ts'
import * as botParams from './bot-params.ts'
import {
  requirePasswordOfSession,
  requireUnchangedPassword,
  sessionPassword,
  sessionPasswordRefusals,
} from './current-password.ts'

export const createBotEndpoint = endpoint({
  route: 'POST /bots',
  summary: 'Create a bot',
  description: 'You own the bot, and an email tells you about it. Its API key is returned only here.',
  who: 'member',
  params: {
    full_name: z.string(),
    short_name: z
      .string()
      .describe('The email address of the bot is `<short_name>-bot@` followed by the host of the organization.'),
    bot_type: z.int().default(BotType.generic).describe('1 generic, 2 incoming webhook, 3 outgoing webhook.'),
    payload_url: z.string().default('').describe('The URL to which an outgoing webhook sends messages.'),
    interface_type: z
      .int()
      .default(ServiceInterface.generic)
      .describe('The format of these messages: 1 generic, 2 Slack.'),
    password: sessionPassword,
  },
  returns: { user_id: z.int(), api_key: z.string(), avatar_url: z.string(), ...botDefaultFields },
  refuses: [
    botParams.embeddedBotsDisabled,
    botParams.invalidBotType,
    botParams.invalidInterface,
    botParams.notAUrl,
    ...fullNameRefusals,
    badUserName,
    userNameTaken,
    insufficientPermission,
    botNameTaken,
    dailyLimitReached,
    ...sessionPasswordRefusals,
  ],
  async handle(call, params) {
    const { actor, transaction, client } = call
    const botType = botParams.requireBotType(params.bot_type)
    const service =
      botType === BotType.outgoingWebhook
        ? {
            payloadUrl: botParams.requireUrl('payload_url', params.payload_url),
            interface: botParams.requireInterface(params.interface_type),
          }
        : null
    const request = { fullName: params.full_name, shortName: params.short_name, botType, service, client }
    const verified = await requirePasswordOfSession(call, params.password)
    const { bot, apiKey } = await transaction(async (tx) => {
      await requireUnchangedPassword(tx, actor.id, verified)
      return createBot(tx, actor, request)
    })
    logActorEvent(call, 'api_key_created', { targetId: bot.id })
    return { user_id: bot.id, api_key: apiKey, avatar_url: ownAvatarUrl(bot), ...botDefaults }
  },
})
