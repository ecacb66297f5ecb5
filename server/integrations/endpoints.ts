import { z } from 'zod'
import { type Call, type Delivery, endpoint, PlainText } from '#http/endpoint.ts'
import { notFound } from '#http/refusals.ts'
import { refusal } from '#lib/errors.ts'
import { sendingRefusals } from '#messages/endpoints.ts'
import { insufficientPermission, noSuchBot, requireManageableBot, userDeactivated } from '#people/access.ts'
import { logActorEvent } from '#people/security-log.ts'
import { findIntegration, integrations } from './catalogue.ts'
import { deliver, wrongSignature } from './deliver.ts'
import { invalidJson, missingEventHeader, unexpectedPayload, unsupportedEvent } from './integration.ts'
import { findSignedIntegrations, saveWebhookSecret } from './queries.ts'
import { slackError } from './slack-answers.ts'

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

const refuses = [
  invalidJson,
  unexpectedPayload,
  missingEventHeader,
  unsupportedEvent,
  wrongSignature,
  notFound,
  ...sendingRefusals,
]

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
  refuses,
  async handle(call, given) {
    const integration = findIntegration(given.integration)
    if (integration === null) throw notFound()
    await deliver(deliveryOf(call), integration, given)
    return {}
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
  refuses: [...refuses, noService],
  async handle(call, given) {
    const integration = findIntegration('slack_incoming')
    if (integration === null) throw notFound()
    if (!(await deliver(deliveryOf(call), integration, given))) throw noService()
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
  refuses: [notFound],
  handle(_, { integration, challenge }) {
    if (findIntegration(integration) === null) throw notFound()
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
  refuses: [noSuchBot, insufficientPermission],
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
  refuses: [noSuchBot, insufficientPermission, userDeactivated, noSuchIntegration],
  async handle(call, { bot_id: botId, integration: name, secret }) {
    const { db, actor, transaction } = call
    const bot = await requireManageableBot(db, actor, botId)
    if (findIntegration(name)?.verify === undefined) throw noSuchIntegration()
    await transaction((tx) => saveWebhookSecret(tx, bot.id, name, secret.trim() || null))
    logActorEvent(call, 'webhook_secret_changed', { targetId: bot.id })
    return {}
  },
})

export const integrationEndpoints = [receive, receiveSlack, check, getSecrets, putSecret]
