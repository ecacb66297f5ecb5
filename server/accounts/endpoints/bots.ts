import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { insufficientPermission } from '#people/access.ts'
import {
  botDefaultFields,
  botDefaults,
  findActiveBotsOf,
  findBotService,
  serviceFields,
  toBotJson,
} from '#people/bots.ts'
import { dailyLimitReached } from '#people/creation-limits.ts'
import { fullNameRefusals, ownAvatarUrl } from '#people/users.ts'
import { BotType, ServiceInterface } from '#rules/role.ts'
import * as botParams from '../change-bots.ts'
import { badUserName, createBot, userNameTaken } from '../change-bots.ts'
import { botNameTaken } from '../change-users.ts'
import {
  requirePasswordOfSession,
  requireUnchangedPassword,
  sessionPassword,
  sessionPasswordRefusals,
} from '../password-checks.ts'

const bot = z.object({
  user_id: z.int(),
  username: z.string().describe('The API email address.'),
  full_name: z.string(),
  bot_type: z.int().nullable(),
  is_active: z.boolean(),
  owner_id: z.int().nullable(),
  avatar_url: z.string(),
  services: z.array(z.object(serviceFields)),
  ...botDefaultFields,
})

export const getBots = endpoint({
  route: 'GET /bots',
  summary: 'List the bots that you own',
  description:
    'Only active bots. Their API keys are not included. The token of an outgoing webhook is also sent with each of its messages.',
  who: 'human',
  holdsSecrets: true,
  returns: { bots: z.array(bot) },
  async handle({ db, actor, settings }) {
    const bots: z.infer<typeof bot>[] = []
    for (const account of await findActiveBotsOf(db, actor.id)) {
      const service = await findBotService(db, account.id)
      const { email, ...json } = toBotJson(account, service, actor.realm, settings.EXTERNAL_URL)
      bots.push({ ...json, username: email })
    }
    return { bots }
  },
})

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
    return { user_id: bot.id, api_key: apiKey, avatar_url: ownAvatarUrl(bot), ...botDefaults }
  },
})
