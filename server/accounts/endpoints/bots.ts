import { z } from 'zod'
import { viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { refusal } from '#lib/errors.ts'
import { insufficientPermission } from '#people/access.ts'
import { issueApiKey } from '#people/api-keys.ts'
import { recordAudit } from '#people/audit.ts'
import {
  botDefaultFields,
  botDefaults,
  findActiveBotsOf,
  findBotService,
  isNameTaken,
  newToken,
  type ServiceAddress,
  saveBotService,
  serviceFields,
  toBotJson,
} from '#people/bots.ts'
import { isEmailAddress } from '#people/email-addresses.ts'
import { dailyLimitReached, MAX_BOTS_PER_DAY, requireBelowDailyLimit } from '#people/limits.ts'
import { findUsersByDeliveryEmail, lockEmailAddresses, saveUser } from '#people/user-queries.ts'
import { type Actor, fullNameRefusals, ownAvatarUrl, requireFullName, type User } from '#people/users.ts'
import { type Realm, realmAddress } from '#realms/realm.ts'
import { BotType, Role, ServiceInterface } from '#rules/role.ts'
import type { Transaction } from '#storage/storage.ts'
import { requireMayHaveBot } from '../access.ts'
import { notifyBotChange } from '../emails.ts'
import {
  requirePasswordOfSession,
  requireUnchangedPassword,
  sessionPassword,
  sessionPasswordRefusals,
} from '../passwords.ts'
import { botNameTaken, emitUserCreated } from '../users.ts'
import * as botParams from './bot-params.ts'

const badUserName = refusal('BAD_REQUEST', 400, 'Bad name or username', { field: 'short_name' })
const userNameTaken = refusal('BAD_REQUEST', 400, 'Username already in use', { field: 'short_name' })

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
async function createBot(tx: Transaction, actor: Actor, bot: NewBot): Promise<{ bot: User; apiKey: string }> {
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
