import type { Call, Delivery } from '#http/endpoint.ts'
import { Refusal, refusal } from '#lib/errors.ts'
import { boldName, fenceFor } from '#messages/notice-markdown.ts'
import { type MessageRequest, type PreparedMessage, prepareMessage, prepareNotice } from '#messages/prepare-message.ts'
import { RECIPIENTS_PER_UNIT, sendMessage } from '#messages/send-message.ts'
import { findUser } from '#people/user-queries.ts'
import { MAX_TOPIC_LENGTH } from '#rules/topics.ts'
import {
  type Integration,
  invalidJson,
  isPayloadRefusal,
  missingEventHeader,
  type WebhookMessage,
} from './integration.ts'
import { oneLine } from './markdown.ts'
import { findWebhookSecret, mayNotifyOwner } from './queries.ts'

// Handling one delivery: its signature is checked, its payload becomes messages, those that the URL leaves out are
// dropped, and the rest is sent by the bot. The owner of the bot is told about a wrong set-up at most once an hour for
// each kind of problem. Nothing of a payload is logged.

export const wrongSignature = refusal('BAD_REQUEST', 400, 'Webhook signature verification failed.')

/** The parameters of the URL that all integrations have. */
export type DeliveryParams = {
  stream?: string | undefined
  topic?: string | undefined
  only_events?: readonly string[] | undefined
  exclude_events?: readonly string[] | undefined
  branches?: string | undefined
  ignore_private_repositories: boolean
  webhook_secret?: string | undefined
}

type WebhookCall = Call & { delivery: Delivery }

/** The maximum number of messages that one delivery can cause. */
const MAX_MESSAGES = 30

/** Sends the messages of a delivery. Returns false if the channel does not exist. */
export async function deliver(call: WebhookCall, integration: Integration, given: DeliveryParams): Promise<boolean> {
  const params = integration.isForm ? { ...given, ...targetInForm(call.delivery) } : given
  await requireSignature(call, integration, params)
  const messages = await readMessages(call, integration, params)
  const wanted = messages.filter(({ event }) => isWanted(event, params)).slice(0, MAX_MESSAGES)
  return sendAll(call, integration, params, wanted)
}

/** Returns the channel and the topic that a form names. */
function targetInForm({ body }: Delivery): Pick<DeliveryParams, 'stream' | 'topic'> {
  const names = ['stream', 'topic'] as const
  return Object.fromEntries(names.filter((name) => body.has(name)).map((name) => [name, body.get(name)]))
}

/** Refuses a delivery that is not signed, if the bot has a secret for the service. */
async function requireSignature(call: WebhookCall, integration: Integration, params: DeliveryParams): Promise<void> {
  const { verify, name } = integration
  if (verify === undefined) return
  const { rawBody, headers } = call.delivery
  const stored = await findWebhookSecret(call.db, call.actor.id, name)
  const now = call.clock.now()
  for (const secret of [stored, params.webhook_secret])
    if (secret != null && secret !== '' && !verify({ rawBody, headers, secret, now })) throw wrongSignature()
}

async function readMessages(
  call: WebhookCall,
  integration: Integration,
  params: DeliveryParams,
): Promise<(WebhookMessage & { event: string })[]> {
  const { headers, query } = call.delivery
  const branches = params.branches?.split(',').map((branch) => branch.trim())
  try {
    return integration.toMessages(integration.read(call.delivery), {
      topic: params.topic,
      header: (name) => headers[name.toLowerCase()]?.toString(),
      param: (name) => query.get(name),
      wantsBranch: (branch) => branches === undefined || branches.includes(branch),
      ignoresPrivate: params.ignore_private_repositories,
    })
  } catch (error) {
    if (isPayloadRefusal(error)) await notifyOwner(call, error.kind.code, problemOf(call, integration, error))
    throw error
  }
}

/** Returns whether the URL asks for events of this kind. `*` in its patterns matches any text. */
function isWanted(event: string, { only_events: only, exclude_events: excluded }: DeliveryParams): boolean {
  if (event === '') return true
  if (only !== undefined && !only.some((pattern) => matches(pattern, event))) return false
  return excluded === undefined || !excluded.some((pattern) => matches(pattern, event))
}

/** Returns whether the text matches the pattern, in which `*` stands for any text, in linear time. */
function matches(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return pattern === text
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false
  const end = text.length - last.length
  let at = first.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found === -1 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}

async function sendAll(
  call: WebhookCall,
  integration: Integration,
  params: DeliveryParams,
  messages: readonly WebhookMessage[],
): Promise<boolean> {
  const { db, actor, clock, transaction } = call
  const prepared: PreparedMessage[] = []
  for (const { topic, content } of messages) {
    const to = targetOf(call, integration, params, topic)
    if (to === null) return true
    const request: MessageRequest = {
      to,
      content: withoutCommand(content.markdown.trim()) || `(${integration.title})`,
      client: `Webhook ${integration.name}`,
      isReadBySender: false,
      localEcho: null,
    }
    try {
      prepared.push(await prepareMessage(db, actor, request, clock.now()))
    } catch (error) {
      if (!(error instanceof Refusal) || error.kind.code !== 'STREAM_DOES_NOT_EXIST') throw error
      await notifyOwner(call, 'STREAM_DOES_NOT_EXIST', missingChannelText(call, params.stream ?? ''))
      return false
    }
  }
  if (prepared.length === 0) return true
  const recipients = await transaction(async (tx) => {
    let count = 0
    for (const message of prepared) count += (await sendMessage(tx, message)).recipientCount
    return count
  })
  call.charge(recipients / RECIPIENTS_PER_UNIT)
  return true
}

/** Returns the content as text that is no command, such as `/poll`, wherever its first word comes from. */
const withoutCommand = (content: string) => content.replace(/^\/(?=\w)/, '&#47;')

/** Returns the topic, or the owner of the bot if the URL names no channel; null if there is neither. */
function targetOf(
  { actor }: WebhookCall,
  integration: Integration,
  { stream, topic: wanted }: DeliveryParams,
  topic: string,
): MessageRequest['to'] | null {
  if (stream === undefined || stream === '') return actor.botOwnerId === null ? null : { people: [actor.botOwnerId] }
  const channel = /^\d{1,15}$/.test(stream) ? Number(stream) : stream
  const name = oneLine(wanted ?? topic)
  const isRequired = actor.realm.settings.mandatory_topics
  return { channel, topic: name === '' && isRequired ? integration.title.slice(0, MAX_TOPIC_LENGTH) : name }
}

/** Sends a direct message to the owner of the bot, unless they got one about the same kind of problem within an hour. */
async function notifyOwner(call: WebhookCall, kind: string, content: string): Promise<void> {
  const { db, actor, transaction, clock } = call
  const owner = actor.botOwnerId === null ? null : await findUser(db, actor.botOwnerId)
  if (owner === null || owner.deactivatedAt !== null) return
  if (!(await mayNotifyOwner(db, actor.id, kind, clock.now()))) return
  const notice = await prepareNotice(db, { recipientIds: [owner.id], content })
  await transaction(async (tx) => {
    if (await mayNotifyOwner(tx.db, actor.id, kind, tx.now, tx)) await sendMessage(tx, notice)
  })
}

function problemOf({ actor }: WebhookCall, { title }: Integration, { kind, extras }: Refusal): string {
  const bot = boldName(actor.fullName)
  if (kind === missingEventHeader)
    return `A request to your bot ${bot} for ${title} lacks the header ${asCode(String(extras['header']))}, so no message was sent. The header names the kind of event. Check that the URL is that of ${title}, and that the request comes from there.`
  if (kind === invalidJson)
    return `A request to your bot ${bot} for ${title} is not valid JSON, so no message was sent. Check that ${title} sends its webhooks as JSON, and that the URL is that of ${title}.`
  return `A request to your bot ${bot} for ${title} has an unexpected form, so no message was sent. Check that the URL is that of ${title}, and that the request comes from there.`
}

const missingChannelText = ({ actor }: WebhookCall, channel: string) =>
  `Your bot ${boldName(actor.fullName)} tried to send a message to the channel ${asCode(channel)}, which does not exist or which it cannot see. Create the channel, subscribe the bot, or change \`stream\` in the URL.`

function asCode(text: string): string {
  const line = oneLine(text).slice(0, 100) || ' '
  const fence = fenceFor(line)
  return `${fence}${line}${fence}`
}
