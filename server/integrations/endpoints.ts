import { z } from 'zod'
import { type Call, type Delivery, endpoint, PlainText } from '#http/endpoint.ts'
import type { Page } from '#http/pages.ts'
import { notFound } from '#http/refusals.ts'
import { refusal } from '#lib/errors.ts'
import { sendingRefusals } from '#messages/endpoints.ts'
import {
  insufficientPermission,
  mayManageBotsOfOthers,
  mustBeOwner,
  noSuchBot,
  requireManageableBot,
  userDeactivated,
} from '#people/access.ts'
import { recordAudit } from '#people/audit.ts'
import type { User } from '#people/users.ts'
import { realmAddress } from '#realms/realm.ts'
import { BotType } from '#rules/role.ts'
import { findIntegration, integrations } from './catalogue.ts'
import { deliver, deliverAgain, deliverSample, wrongSignature } from './deliver.ts'
import {
  type Integration,
  invalidJson,
  invalidOption,
  missingEventHeader,
  unexpectedPayload,
  unsupportedEvent,
} from './integration.ts'
import { showIntegration, showIntegrations } from './pages/integration-pages.ts'
import {
  allEntries,
  categoryList,
  categoryName,
  type Entry,
  eventTitle,
  findEntry,
  isScript,
  sampleMessage,
  stepsAsHtml,
} from './pages/presentation.ts'
import {
  countConnections,
  findDeliveries,
  findDelivery,
  findSignedIntegrations,
  saveWebhookSecret,
  type WebhookDelivery,
} from './queries.ts'
import { noText, slackError } from './slack-answers.ts'

// Incoming webhooks: other services post events in formats of their own, and an incoming-webhook bot sends them as
// messages. Every service has the same parameters; its file in `services/` declares what else it takes.

const MAX_SECRET_LENGTH = 500

const text = (description: string) => z.string().optional().describe(description)

/** The parameters that only single services have. */
const options = Object.fromEntries(
  integrations.flatMap(({ title, options }) => options.map(({ name, label }) => [name, text(`${title}: ${label}`)])),
)

const params = {
  ...options,
  api_key: text('The API key of the bot. The Authorization header may have it instead.'),
  stream: text("The channel's name or id. Without it, the owner of the bot gets direct messages."),
  topic: text('The topic of all messages, instead of the one that the event determines.'),
  only_events: z.array(z.string()).optional().describe('Only events that match a pattern; `*` matches any text.'),
  exclude_events: z.array(z.string()).optional().describe('No events that match a pattern; `*` matches any text.'),
  branches: text('Only pushes to these branches, separated by commas.'),
  ignore_private_repositories: z.boolean().default(false).describe('Whether to ignore private repositories.'),
  webhook_secret: text(
    'The secret with which the service signs. Set it with `PUT /bots/{bot_id}/webhook_secrets/{integration}` instead: proxies log URLs.',
  ),
}

const noSuchService = refusal('NOT_FOUND', 404, "There is no integration '{name}'. /integrations lists all")

const refuses = [
  invalidJson,
  unexpectedPayload,
  invalidOption,
  missingEventHeader,
  unsupportedEvent,
  wrongSignature,
  notFound,
  noSuchService,
  ...sendingRefusals,
]

/** Returns the integration that the URL names. */
function requireIntegration(name: string): Integration {
  const found = findIntegration(name)
  if (found === null) throw noSuchService({ name: name.slice(0, 50) })
  return found
}

const deliveryOf = (call: Call) => call as Call & { delivery: Delivery }

const receive = endpoint({
  route: 'POST /external/{integration}',
  summary: 'Receive an event from another service',
  description:
    'The body is what the service sends: JSON, or a form with JSON in `payload`. Unknown kinds of events are ignored.',
  who: 'webhook bot',
  allowsWebhookBots: true,
  takesAnyBody: true,
  path: { integration: z.string() },
  params,
  returns: {
    challenge: z.string().optional().describe('Slack: the text by which it checks the URL.'),
    full_name: z.string().optional().describe('Zapier: the name of the bot.'),
    email: z.string().optional().describe('Zapier: the email address of the bot.'),
    id: z.int().optional().describe('Zapier: the id of the bot.'),
  },
  refuses,
  async handle(call, given) {
    const integration = requireIntegration(given.integration)
    const { response } = await deliver(deliveryOf(call), integration, given)
    return typeof response === 'string' ? new PlainText(response) : (response ?? {})
  },
})

const noService = refusal('channel_not_found', 404, 'The channel does not exist')

const receiveSlack = endpoint({
  route: 'POST /external/slack_incoming',
  summary: 'Receive a message in the format of incoming webhooks of Slack',
  description: 'The responses are those of Slack, in plain text: `ok`, or the name of the error.',
  who: 'webhook bot',
  allowsWebhookBots: true,
  takesAnyBody: true,
  refusalToText: slackError,
  params,
  refuses: [...refuses, noService, noText],
  async handle(call, given) {
    const integration = requireIntegration('slack_incoming')
    const { isSent } = await deliver(deliveryOf(call), integration, given, noService.status)
    if (!isSent) throw noService()
    return new PlainText('ok')
  },
})

const check = endpoint({
  route: 'GET /external/{integration}',
  summary: 'Check the URL of an integration',
  description: 'Some services check the URL before they use it. A parameter `challenge` is returned as plain text.',
  who: 'webhook bot',
  allowsWebhookBots: true,
  path: { integration: z.string() },
  params: { ...params, challenge: text('A text that the service expects as the response.') },
  refuses: [notFound, noSuchService],
  handle(_, { integration, challenge }) {
    requireIntegration(integration)
    return challenge === undefined ? {} : Promise.resolve(new PlainText(challenge.slice(0, 1000)))
  },
})

const noSuchIntegration = refusal('BAD_REQUEST', 400, 'No such integration, or one that does not sign its deliveries', {
  field: 'integration',
})

const getSecrets = endpoint({
  route: 'GET /bots/{bot_id}/webhook_secrets',
  summary: 'List the integrations for which a bot checks signatures',
  description: 'The secrets themselves are never returned.',
  who: 'human',
  returns: { integrations: z.array(z.string()) },
  refuses: [noSuchBot, insufficientPermission, mustBeOwner],
  async handle({ db, actor }, { bot_id: botId }) {
    const bot = await requireManageableBot(db, actor, botId)
    return { integrations: await findSignedIntegrations(db, bot.id) }
  },
})

const putSecret = endpoint({
  route: 'PUT /bots/{bot_id}/webhook_secrets/{integration}',
  summary: 'Set the secret with which a service signs its deliveries',
  description: 'Deliveries without a valid signature are then refused. An empty secret turns the check off.',
  who: 'human',
  path: { integration: z.string() },
  params: { secret: z.string().max(MAX_SECRET_LENGTH).describe('The secret that the service shows or asks for.') },
  refuses: [noSuchBot, insufficientPermission, mustBeOwner, userDeactivated, noSuchIntegration],
  async handle(call, { bot_id: botId, integration: name, secret }) {
    const { db, actor, transaction } = call
    const bot = await requireManageableBot(db, actor, botId)
    if (findIntegration(name)?.verify === undefined) throw noSuchIntegration()
    await transaction(async (tx) => {
      await saveWebhookSecret(tx, bot.id, name, secret.trim() || null)
      await recordAudit(tx, bot.realmId, 'webhook_secret_changed', { targetId: bot.id })
    })
    return {}
  },
})

const unknownIntegration = refusal('BAD_REQUEST', 400, 'No such integration', { field: 'integration' })

const integrationFields = {
  name: z.string().describe('The name in the URL.'),
  title: z.string(),
  category: z.string().describe('The name of a category.'),
  summary: z.string().describe('One line about what it posts.'),
  logo: z.strictObject({ letter: z.string(), color: z.string().describe('A color as in CSS.') }),
  kind: z.enum(['webhook', 'script']).describe('`script` for services that connect by a script or plugin.'),
  connections: z
    .int()
    .describe('The pairs of a bot and a destination with deliveries in the last seven days. Users see their own bots.'),
}

const toIntegrationJson = (entry: Entry, connections: number) => {
  const { name, title, category, summary, logo } = entry
  const kind = isScript(entry) ? ('script' as const) : ('webhook' as const)
  return { name, title, category: categoryName(category), summary, logo: { ...logo }, kind, connections }
}

const countOwnConnections = ({ db, actor }: Pick<Call, 'db' | 'actor'>) =>
  countConnections(db, actor.realmId, { ownerId: mayManageBotsOfOthers(actor) ? null : actor.id })

const named = z.strictObject({ name: z.string(), title: z.string() })

const getIntegrations = endpoint({
  route: 'GET /integrations',
  summary: 'List the integrations',
  description: 'The services whose events can become messages.',
  who: 'human',
  returns: { integrations: z.array(z.strictObject(integrationFields)), categories: z.array(named) },
  async handle(call) {
    const counts = await countOwnConnections(call)
    return {
      integrations: allEntries().map((one) => toIntegrationJson(one, counts.get(one.name) ?? 0)),
      categories: categoryList,
    }
  },
})

const getIntegration = endpoint({
  route: 'GET /integrations/{integration}',
  summary: 'Get an integration',
  who: 'human',
  path: { integration: z.string() },
  returns: {
    ...integrationFields,
    events: z.array(named).describe('The kinds of events; empty if there is only one.'),
    options: z.array(z.strictObject({ name: z.string(), label: z.string() })).describe('Parameters that only it has.'),
    steps_html: z.array(z.string()).describe('The steps in the service, as HTML.'),
    knows_private: z.boolean().describe('Whether `ignore_private_repositories` applies to it.'),
    signed: z.boolean().describe('Whether a secret can be set with which the service signs its deliveries.'),
    sample: z
      .strictObject({ topic: z.string(), event: z.string(), rendered_content: z.string() })
      .nullable()
      .describe('A message for one of the events.'),
    page: z.string().describe('The path of its public page.'),
  },
  refuses: [unknownIntegration],
  async handle(call, { integration: name }) {
    const found = findEntry(name)
    if (found === null) throw unknownIntegration()
    const counts = await countOwnConnections(call)
    const webhook = isScript(found) ? null : found
    const sample = webhook && sampleMessage(webhook)
    return {
      ...toIntegrationJson(found, counts.get(name) ?? 0),
      events: (webhook?.eventNames ?? []).map((event) => ({ name: event, title: eventTitle(event) })),
      options: (webhook?.options ?? []).map((option) => ({ ...option })),
      steps_html: stepsAsHtml(found, realmAddress(call.actor.realm.subdomain, call.settings.EXTERNAL_URL).url),
      knows_private: webhook?.knowsPrivate === true,
      signed: webhook?.verify !== undefined,
      sample: sample && { topic: sample.topic, event: sample.event, rendered_content: sample.html },
      page: `/integrations/${name}`,
    }
  },
})

const deliveryJson = z.strictObject({
  id: z.int(),
  integration: z.string(),
  event: z.string().nullable().describe('The kind of event; null if it is unknown or there is only one.'),
  time: z.int().describe('When the delivery came in, in UNIX seconds.'),
  stream: z.string().nullable().describe("The channel's name or id, as the URL has it; null if it names none."),
  topic: z.string().nullable().describe('The topic that the URL names; null if it names none.'),
  kind: z.enum(['delivery', 'test', 'again']).describe('`test` for test messages, `again` if it was sent again.'),
  outcome: z.enum(['posted', 'left_out', 'refused']),
  status: z.int().describe('The HTTP status of the response.'),
  code: z.string().nullable().describe('The code of the error, if there was one.'),
  text: z.string().describe('An explanation; empty if a message was posted.'),
  message_id: z.int().nullable().describe('The first message that was posted.'),
  can_send_again: z.boolean().describe('False for test messages, and for payloads that were too long or unreadable.'),
})

const toDeliveryJson = ({ id, integration, event, outcome, status, code, ...delivery }: WebhookDelivery) => ({
  ...{ id, integration, event, time: Math.floor(delivery.receivedAt), outcome, status, code },
  ...{ stream: delivery.stream, topic: delivery.topic, kind: delivery.kind },
  ...{ text: delivery.answer, message_id: delivery.messageId, can_send_again: delivery.canSendAgain },
})

const MAX_LISTED = 100

const getDeliveries = endpoint({
  route: 'GET /bots/{bot_id}/webhook_deliveries',
  summary: 'List the last deliveries to an incoming webhook',
  description:
    'The newest first. The last 200 deliveries are kept, for at most seven days, without keys, secrets and signatures.',
  who: 'human',
  params: {
    integration: text('Only deliveries of this service.'),
    before: z.int().optional().describe('Only deliveries with a lower id.'),
    num: z.int().min(1).max(MAX_LISTED).default(20).describe('The maximum number of deliveries.'),
  },
  returns: { deliveries: z.array(deliveryJson), has_more: z.boolean() },
  refuses: [noSuchBot, insufficientPermission, mustBeOwner],
  async handle({ db, actor }, { bot_id: botId, integration = null, before = null, num }) {
    const bot = await requireManageableBot(db, actor, botId)
    const found = await findDeliveries(db, bot.id, { integration, before, limit: num + 1 })
    return { deliveries: found.slice(0, num).map(toDeliveryJson), has_more: found.length > num }
  },
})

const notIncomingWebhook = refusal('BAD_REQUEST', 400, 'This bot is not an incoming webhook')
const noRecipient = refusal('BAD_REQUEST', 400, 'The bot has no owner, so the test message needs a channel', {
  field: 'stream',
})

/** Returns the bot if the actor may manage it and it can post. */
async function requireActiveWebhookBot({ db, actor }: Pick<Call, 'db' | 'actor'>, botId: number): Promise<User> {
  const bot = await requireManageableBot(db, actor, botId)
  if (bot.botType !== BotType.incomingWebhook) throw notIncomingWebhook()
  if (bot.deactivatedAt !== null) throw userDeactivated()
  return bot
}

const botRefusals = [noSuchBot, insufficientPermission, mustBeOwner, notIncomingWebhook, userDeactivated]

const sendTest = endpoint({
  route: 'POST /bots/{bot_id}/webhook_test',
  summary: 'Send a test message of an integration',
  description: 'The bot posts what it would post for a delivery of the service. The deliveries list it.',
  who: 'human',
  params: {
    integration: z.string().describe('The name of the service.'),
    stream: text("The channel's name or id. Without it, the owner of the bot gets a direct message."),
    topic: text('The topic, instead of the one that the event determines.'),
  },
  returns: { message_id: z.int() },
  refuses: [...botRefusals, unknownIntegration, noRecipient, ...sendingRefusals],
  async handle(call, { bot_id: botId, integration: name, stream, topic }) {
    const bot = await requireActiveWebhookBot(call, botId)
    const integration = findIntegration(name)
    if (integration === null) throw unknownIntegration()
    const { messageId } = await deliverSample(call, bot, integration, integration.sample, { stream, topic })
    if (messageId === null) throw noRecipient()
    return { message_id: messageId }
  },
})

const noSuchDelivery = refusal('BAD_REQUEST', 400, 'No such delivery')
const cannotSendAgain = refusal('BAD_REQUEST', 400, 'This delivery cannot be sent again')

const sendAgain = endpoint({
  route: 'POST /bots/{bot_id}/webhook_deliveries/{delivery_id}/send_again',
  summary: 'Send a delivery again',
  description: 'The server handles the delivery as if it came in once more. The response has the new delivery.',
  who: 'human',
  returns: { delivery: deliveryJson },
  refuses: [...botRefusals, noSuchDelivery, cannotSendAgain],
  async handle(call, { bot_id: botId, delivery_id: id }) {
    const bot = await requireActiveWebhookBot(call, botId)
    const delivery = await findDelivery(call.db, bot.id, id)
    if (delivery === null) throw noSuchDelivery()
    const integration = findIntegration(delivery.integration)
    if (integration === null || delivery.content === null) throw cannotSendAgain()
    return { delivery: toDeliveryJson(await deliverAgain(call, bot, integration, delivery.content)) }
  },
})

/** The public pages of integrations. */
export const integrationPages: readonly Page[] = [showIntegrations, showIntegration]

export const integrationEndpoints = [
  ...[receive, receiveSlack, check, getSecrets, putSecret],
  ...[getIntegrations, getIntegration, getDeliveries, sendTest, sendAgain],
]
