import type { Call, Delivery } from '#http/endpoint.ts'
import { Refusal, type RefusalKind, refusal } from '#lib/errors.ts'
import { hashSecret } from '#lib/secrets.ts'
import { boldName, fenceFor } from '#messages/notice-markdown.ts'
import { type MessageRequest, type PreparedMessage, prepareMessage, prepareNotice } from '#messages/prepare-message.ts'
import { RECIPIENTS_PER_UNIT, sendMessage } from '#messages/send-message.ts'
import { withActingRole } from '#people/bots.ts'
import { findUser } from '#people/user-queries.ts'
import { type Actor, apiEmail, type User } from '#people/users.ts'
import { MAX_TOPIC_LENGTH } from '#rules/topics.ts'
import { toStorableText } from '#storage/sql.ts'
import {
  type ExpectedResponse,
  type Integration,
  invalidJson,
  isPayloadRefusal,
  missingEventHeader,
  type Sample,
  unsupportedEvent,
  type WebhookMessage,
  type WebhookRequest,
} from './integration.ts'
import { md, oneLine, paragraphs } from './markdown.ts'
import { findWebhookSecret, mayNotifyOwner, type NewDelivery, saveDelivery, type WebhookDelivery } from './queries.ts'

// Handling one delivery: its signature is checked, its payload becomes messages, those that the URL leaves out are
// dropped, and the rest is sent by the bot. The same transaction adds the delivery to the log of the bot, from which it
// can be sent again. The owner of the bot is notified of a wrong set-up at most once an hour for each kind of problem.
// Nothing of a payload is written to the log of the server.

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

/** A call by the bot, or on its behalf by people who may manage it. */
type BotCall = Pick<Call, 'db' | 'actor' | 'clock' | 'transaction' | 'charge'>

/** The content of a delivery that is authenticated. */
type Content = Pick<WebhookRequest, 'header' | 'param'> & { payload: unknown }

type Attempt = {
  params: DeliveryParams
  /** Returns the content. Refuses a delivery that is not authenticated, or that is neither JSON nor a form. */
  open: () => Content | Promise<Content>
  /** True if the log keeps the content, so that the delivery can be sent again. */
  keepsContent: boolean
  /** True if another service sent the delivery, so that the owner of the bot is notified of problems. */
  isForeign?: boolean
  kind: WebhookDelivery['kind']
  /** The status of the response if the channel does not exist. Services give up URLs that fail. */
  missingChannelStatus?: number
}

/** The maximum number of messages that one delivery can cause. */
const MAX_MESSAGES = 30

/** The maximum length of a payload that the log keeps. */
const MAX_KEPT = 65_536

/** The maximum length of the event, the channel and the topic in the log. */
const MAX_LINE_LENGTH = 100

const CHANNEL_MISSING = 'STREAM_DOES_NOT_EXIST'

type Delivered = {
  /** False if the channel does not exist. */
  isSent: boolean
  /** The response that the service expects; undefined for the usual one. */
  response: ExpectedResponse | undefined
}

/** Sends the messages of a delivery. */
export async function deliver(
  call: WebhookCall,
  integration: Integration,
  given: DeliveryParams,
  missingChannelStatus = 200,
): Promise<Delivered> {
  const { delivery, actor, settings } = call
  const { headers, query, rawBody } = delivery
  const params = { ...given, ...placesOf(delivery, integration) }
  let response: ExpectedResponse | undefined
  const { refused } = await handle(call, integration, {
    ...{ params, missingChannelStatus, isForeign: true, kind: 'delivery', keepsContent: rawBody.length <= MAX_KEPT },
    async open() {
      await requireSignature(call, integration, params)
      const payload = integration.read(delivery)
      const email = apiEmail(actor, actor.realm, settings.EXTERNAL_URL)
      response = integration.responseTo?.(payload, { full_name: actor.fullName, email, id: actor.id })
      return {
        payload,
        header: (name) => headers[name.toLowerCase()]?.toString(),
        param: (name) => query.get(name),
      }
    },
  })
  if (refused !== null && refused.kind.code !== CHANNEL_MISSING) throw refused
  return { isSent: refused === null, response }
}

const contentOf = (payload: unknown, headers: Headers, query?: ReadonlyMap<string, string>): Content => ({
  payload,
  header: (name) => headers.get(name) ?? undefined,
  param: (name) => query?.get(name),
})

/** A delivery as the log keeps it. */
type Kept = {
  payload: unknown
  /** The headers and parameters of the URL that the integration read, by name. */
  headers: Record<string, string>
  query: Record<string, string>
  params: DeliveryParams
}

/**
 * Handles a delivery of the log once more, as a new one. Its signature was valid when it came in, and is not checked
 * again.
 */
export async function deliverAgain(
  call: BotCall,
  bot: User,
  integration: Integration,
  content: string,
): Promise<WebhookDelivery> {
  const { payload, headers, query, params } = JSON.parse(content) as Kept
  const open = () => contentOf(payload, new Headers(headers), new Map(Object.entries(query)))
  const attempt = { params, open, keepsContent: true, kind: 'again' as const }
  const { delivery } = await handle(await callAs(call, bot), integration, attempt)
  return delivery
}

/** Handles the sample of an integration as if the service had sent it. Throws the refusal of a sample that is refused. */
export async function deliverSample(
  call: BotCall,
  bot: User,
  integration: Integration,
  { headers = {}, payload }: Sample,
  target: Pick<DeliveryParams, 'stream' | 'topic'>,
): Promise<WebhookDelivery> {
  const open = () => contentOf(payload, new Headers(headers))
  const { delivery, refused } = await handle(await callAs(call, bot), integration, {
    params: { ...target, ignore_private_repositories: false },
    ...{ open, keepsContent: false, kind: 'test' },
  })
  if (refused !== null) throw refused
  return delivery
}

async function callAs({ db, clock, transaction, charge, actor }: BotCall, bot: User): Promise<BotCall> {
  const asBot: Actor = { ...(await withActingRole(db, bot)), realm: actor.realm }
  return { db, clock, transaction, actor: asBot, charge }
}

type Handled = { delivery: WebhookDelivery; refused: Refusal | null }

/** Sends the messages of a delivery, and adds it to the log of the bot. */
async function handle(call: BotCall, integration: Integration, attempt: Attempt): Promise<Handled> {
  const { actor, transaction } = call
  const { params, missingChannelStatus = 200 } = attempt
  const read: Omit<Kept, 'payload'> = { headers: {}, query: {}, params: withoutSecret(params) }
  let content: Content | null = null
  let event: string | null = null

  const toRow = (result: Pick<NewDelivery, 'outcome' | 'status' | 'code' | 'answer'>): NewDelivery => ({
    ...result,
    messageId: null,
    botId: actor.id,
    integration: integration.name,
    target: hashSecret(JSON.stringify([params.stream ?? '', params.topic ?? ''])),
    event: event && toLine(event),
    stream: params.stream ? toLine(params.stream) : null,
    topic: params.topic ? toLine(params.topic) : null,
    kind: attempt.kind,
    content: content === null || !attempt.keepsContent ? null : toKept({ ...read, payload: content.payload }),
  })
  const leaveOut = async (answer: string): Promise<Handled> => {
    const row = toRow({ outcome: 'left_out', status: 200, code: null, answer })
    return { delivery: await transaction((tx) => saveDelivery(tx, row)), refused: null }
  }

  try {
    content = await attempt.open()
    const request = { ...requestOf(params), ...recorded(content, read) }
    event = integration.findEvent(content.payload, request)
    const messages = integration.toMessages(content.payload, request)
    event = messages[0]?.event || event
    const wanted = messages.filter((message) => isWanted(message.event, params)).slice(0, MAX_MESSAGES)
    if (messages.length === 0) return await leaveOut(noMessageText(params))
    if (wanted.length === 0) return await leaveOut('The URL leaves this event out.')
    const prepared = await prepareAll(call, integration, params, attempt.kind === 'test' ? wanted.map(asTest) : wanted)
    if (prepared === null) return await leaveOut('The URL names no channel, and the bot has no owner.')
    const row = toRow({ outcome: 'posted', status: 200, code: null, answer: '' })
    const { delivery, recipientCount } = await transaction(async (tx) => {
      const sent = []
      for (const message of prepared) sent.push(await sendMessage(tx, message))
      return {
        delivery: await saveDelivery(tx, { ...row, messageId: sent[0]?.id ?? null }),
        recipientCount: sent.reduce((sum, one) => sum + one.recipientCount, 0),
      }
    })
    call.charge(recipientCount / RECIPIENTS_PER_UNIT)
    return { delivery, refused: null }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { kind, message } = error
    if (attempt.isForeign) await notifyAbout(call, integration, params, error)
    // A sender who knows the URL alone must not push other deliveries out of the log, or write texts into it.
    const isUnsigned = isKind(kind, wrongSignature)
    const row = toRow({
      outcome: isKind(kind, unsupportedEvent) ? 'left_out' : 'refused',
      status: kind.code === CHANNEL_MISSING ? missingChannelStatus : kind.status,
      code: kind.code,
      answer: toStorableText(message),
    })
    const saved = isUnsigned ? { ...row, stream: null, topic: null } : row
    return { delivery: await transaction((tx) => saveDelivery(tx, saved, { replaces: isUnsigned })), refused: error }
  }
}

const noMessageText = ({ branches, ignore_private_repositories: ignoresPrivate }: DeliveryParams) =>
  branches !== undefined || ignoresPrivate
    ? 'No message follows from this event, or the URL leaves out its branch or private repository.'
    : 'No message follows from this event.'

const toLine = (text: string) => toStorableText(oneLine(text).slice(0, MAX_LINE_LENGTH))

const isKind = (kind: RefusalKind, other: RefusalKind) => kind === other

const asTest = (message: WebhookMessage): WebhookMessage => ({
  ...message,
  content: paragraphs(message.content, md`*Test message*`),
})

const withoutSecret = ({ stream, topic, only_events, exclude_events, branches, ...rest }: DeliveryParams) => ({
  ...{ stream, topic, only_events, exclude_events, branches },
  ignore_private_repositories: rest.ignore_private_repositories,
})

function requestOf({ topic, branches, ...params }: DeliveryParams): Omit<WebhookRequest, 'event' | 'header' | 'param'> {
  const wanted = branches?.split(',').map((branch) => branch.trim())
  return {
    topic,
    wantsBranch: (branch) => wanted === undefined || wanted.includes(branch),
    ignoresPrivate: params.ignore_private_repositories,
  }
}

/** Returns functions that read the content, and that record what they returned. */
function recorded(
  content: Content,
  { headers, query }: Pick<Kept, 'headers' | 'query'>,
): Pick<Content, 'header' | 'param'> {
  return {
    header(name) {
      const value = content.header(name)
      if (value !== undefined) headers[name.toLowerCase()] = value
      return value
    },
    param(name) {
      const value = content.param(name)
      if (value !== undefined) query[name] = value
      return value
    },
  }
}

const SECRET =
  'token|secret|password|passwd|passphrase|api[-_ ]?key|access[-_ ]?key|private[-_ ]?key|authorization|cookies?|signature|event[-_ ]?hash|response[-_ ]?url'

/** Names of fields that hold secrets. */
const SECRET_FIELD = new RegExp(`(?:${SECRET})[^\\w]*$`, 'i')

/** Matches JSON in which a text, such as the name of a field, ends like the name of a secret. */
const MAY_HAVE_SECRETS = new RegExp(`(?:${SECRET})[^\\w"]*"`, 'i')

/** Returns a delivery as the log keeps it: without the values of secret fields. Null if it is too long. */
function toKept(kept: Kept): string | null {
  let json = JSON.stringify(kept)
  if (json.length > 2 * MAX_KEPT) return null
  // Visiting each value takes longer than writing the JSON.
  if (MAY_HAVE_SECRETS.test(json)) json = JSON.stringify(kept, withoutSecrets)
  return json.length <= MAX_KEPT ? json : null
}

/** Empties secret fields of an object, and the second item of pairs such as `["Authorization", "…"]`. */
function withoutSecrets(name: string, value: unknown): unknown {
  if (Array.isArray(value) && value.length === 2 && typeof value[0] === 'string' && SECRET_FIELD.test(value[0]))
    return [value[0], '']
  if (!SECRET_FIELD.test(name) || value === null || typeof value === 'boolean') return value
  return typeof value === 'object' ? null : ''
}

/** Returns the parameters that fields of foreign forms could be taken for. Only some services have them in forms. */
function placesOf({ body, query }: Delivery, { isForm, escapesUrlTwice }: Integration) {
  const read = (name: string) => {
    const value = (isForm ? body.get(name) : undefined) ?? query.get(name)
    return escapesUrlTwice && value !== undefined ? unescaped(value) : value
  }
  return { stream: read('stream'), topic: read('topic'), branches: query.get('branches') }
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
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

/** Prepares the messages; returns null if neither a channel nor an owner can get them. */
async function prepareAll(
  { db, actor, clock }: BotCall,
  integration: Integration,
  params: DeliveryParams,
  messages: readonly WebhookMessage[],
): Promise<PreparedMessage[] | null> {
  const prepared: PreparedMessage[] = []
  for (const message of messages) {
    const { content } = message
    const to = targetOf(actor, integration, params, message)
    if (to === null) return null
    const request: MessageRequest = {
      to,
      content: withoutCommand(content.markdown.trim()) || `(${integration.title})`,
      client: `Webhook ${integration.name}`,
      isReadBySender: false,
      localEcho: null,
    }
    prepared.push(await prepareMessage(db, actor, request, clock.now()))
  }
  return prepared
}

/** Returns the content as text that is no command, such as `/poll`, wherever its first word comes from. */
const withoutCommand = (content: string) => content.replace(/^\/(?=\w)/, '&#47;')

/** Returns the topic, or who gets a direct message if the URL names no channel; null if there is nobody. */
function targetOf(
  actor: Actor,
  integration: Integration,
  { stream: given, topic: wanted }: DeliveryParams,
  { topic, recipient, channel: replaced }: WebhookMessage,
): MessageRequest['to'] | null {
  const stream = replaced ?? given
  if (stream === undefined || stream === '') {
    if (recipient !== undefined) return { people: [recipient] }
    return actor.botOwnerId === null ? null : { people: [actor.botOwnerId] }
  }
  // The name of a channel elsewhere may be a number, but is no id here.
  const channel = replaced === undefined && /^\d{1,15}$/.test(stream) ? Number(stream) : stream
  const name = oneLine(wanted ?? topic)
  const isRequired = actor.realm.settings.mandatory_topics
  return { channel, topic: name === '' && isRequired ? integration.title.slice(0, MAX_TOPIC_LENGTH) : name }
}

/** Notifies the owner of the bot of a problem that they can solve. */
async function notifyAbout(
  call: BotCall,
  integration: Integration,
  { stream = '' }: DeliveryParams,
  error: Refusal,
): Promise<void> {
  const { code } = error.kind
  if (isPayloadRefusal(error)) await notifyOwner(call, code, problemOf(call, integration, error))
  const missing = String(error.extras['stream'] ?? stream)
  if (code === CHANNEL_MISSING) await notifyOwner(call, code, missingChannelText(call, missing))
}

/** Sends a direct message to the owner of the bot, unless they got one about the same kind of problem within an hour. */
async function notifyOwner(call: BotCall, kind: string, content: string): Promise<void> {
  const { db, actor, transaction, clock } = call
  const owner = actor.botOwnerId === null ? null : await findUser(db, actor.botOwnerId)
  if (owner === null || owner.deactivatedAt !== null) return
  if (!(await mayNotifyOwner(db, actor.id, kind, clock.now()))) return
  const notice = await prepareNotice(db, { recipientIds: [owner.id], content })
  await transaction(async (tx) => {
    if (await mayNotifyOwner(tx.db, actor.id, kind, tx.now, tx)) await sendMessage(tx, notice)
  })
}

function problemOf({ actor }: BotCall, { title }: Integration, { kind, extras }: Refusal): string {
  const bot = boldName(actor.fullName)
  if (kind === missingEventHeader)
    return `A request to your bot ${bot} for ${title} lacks the header ${asCode(String(extras['header']))}, so no message was sent. The header names the kind of event. Check that the URL is that of ${title}, and that the request comes from there.`
  if (kind === invalidJson)
    return `A request to your bot ${bot} for ${title} is not valid JSON, so no message was sent. Check that ${title} sends its webhooks as JSON, and that the URL is that of ${title}.`
  return `A request to your bot ${bot} for ${title} has an unexpected form, so no message was sent. Check that the URL is that of ${title}, and that the request comes from there.`
}

const missingChannelText = ({ actor }: BotCall, channel: string) =>
  `Your bot ${boldName(actor.fullName)} tried to send a message to the channel ${asCode(channel)}, which does not exist or which it cannot see. Create the channel, subscribe the bot, or change \`stream\` in the URL.`

function asCode(text: string): string {
  const line = oneLine(text).slice(0, 100) || ' '
  const fence = fenceFor(line)
  return `${fence}${line}${fence}`
}
