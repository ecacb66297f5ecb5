import type { Settings } from '#config.ts'
import { viewerOf } from '#groups/viewer.ts'
import type { Clock } from '#lib/clock.ts'
import { Refusal } from '#lib/errors.ts'
import { guardedPost, type PostOutcome } from '#lib/guarded-fetch.ts'
import { type Job, openDeliveryJob } from '#lib/jobs.ts'
import type { Log } from '#lib/log.ts'
import type { Meter } from '#lib/meter.ts'
import { requireMessage } from '#messages/access.ts'
import { messageUrl } from '#messages/notice-markdown.ts'
import { type MessageRequest, type PreparedMessage, prepareMessage } from '#messages/prepare-message.ts'
import { sendMessage } from '#messages/send-message.ts'
import {
  claimCall,
  type DeliveryOutcome,
  type DeliveryResult,
  deferCall,
  deleteCall,
  endDelivery,
  findFirstCalls,
  saveDeliveryAttempt,
  type WebhookCall,
} from '#messages/webhook-calls.ts'
import { findCommand } from '#people/bot-commands.ts'
import { findBotService, withActingRole } from '#people/bots.ts'
import { findUser } from '#people/user-queries.ts'
import { findRealm } from '#realms/queries.ts'
import { ServiceInterface } from '#rules/role.ts'
import type { Db, RunTransaction } from '#storage/storage.ts'
import * as failures from './delivery/webhook-failures.ts'
import {
  type BotReply,
  genericPayload,
  readBotResponse,
  slackPayload,
  type WebhookInput,
} from './delivery/webhook-format.ts'

// The job that calls outgoing webhooks after a commit. Each bot gets one message at a time, in order; an attempt is
// counted before it is made. A response can send a reply; failures are reported to the owner of the bot, who can also
// read the log of deliveries (delivery-log.ts).

type WebhookContext = {
  db: Db
  transaction: RunTransaction
  clock: Clock
  log: Log
  meter?: Meter | undefined
  settings: Settings
}

/** Seconds to wait after each attempt that did not reach the receiver. */
const RETRY_DELAYS = [1, 5, 20]

/**
 * Seconds to wait after the time limit of an attempt without a recorded outcome. Its process has crashed, and the call
 * is repeated.
 */
const GRACE = 15

/** The maximum number of attempts, including attempts whose process crashed. */
const MAX_ATTEMPTS = 8

const USER_AGENT = 'ParleyOutgoingWebhook'

/** A header that identifies a call of the bot. Its value is the same when the call is repeated. */
const MESSAGE_ID = 'x-parley-message-id'

/** The client name of the messages that the bot sends in response. */
const CLIENT = 'OutgoingWebhookResponse'

/**
 * Calls the webhook once, and sends the bot's response or a message about the failure. The attempt is counted before it is
 * made: if the process crashes in between, the call is repeated. Nothing happens if the bot is deactivated or may not read the
 * message. An error is logged and does not hold up other bots.
 */
async function callWebhook(context: WebhookContext, due: WebhookCall, signal: AbortSignal): Promise<void> {
  const timeLimit = context.settings.OUTGOING_WEBHOOK_TIMEOUT_SECONDS + GRACE
  if (!(await context.transaction((tx) => claimCall(tx, due, tx.now + timeLimit)))) return
  const call = { ...due, attempts: due.attempts + 1 }
  try {
    await attempt(context, call, signal)
  } catch (error) {
    context.log.error({ err: error, ...factsOf(call) }, 'An outgoing webhook failed unexpectedly')
  }
}

const factsOf = ({ botId, messageId, attempts }: WebhookCall) => ({ botId, messageId, attempts })

async function attempt(context: WebhookContext, call: WebhookCall, signal: AbortSignal): Promise<void> {
  const { db, transaction, clock, settings } = context
  if (call.attempts > MAX_ATTEMPTS) return end(context, call, { ...leftOut, error: failures.interrupted }, [])
  const input = await findInput(db, call, clock.now())
  if (input === null) return end(context, call, leftOut, [])
  // The message may have been edited, or the bot may have lost the command.
  if (call.trigger === 'command' && input.command === null)
    return end(context, call, { ...leftOut, error: failures.noCommand }, [])

  const isSlack = input.service.interface === ServiceInterface.slack
  if (isSlack && input.readable.conversation.channel === null && input.command === null)
    return fail(context, call, input, failures.noDirectMessages, null)
  const [type, body] = isSlack
    ? ['application/x-www-form-urlencoded', await slackPayload(db, input, clock.now())]
    : ['application/json', await genericPayload(db, input, clock.now())]
  const headers = { 'content-type': type, 'user-agent': USER_AGENT, [MESSAGE_ID]: String(call.messageId) }
  const { OUTGOING_WEBHOOK_PRIVATE_HOSTS: privateHosts, OUTGOING_WEBHOOK_TIMEOUT_SECONDS: timeLimit } = settings
  const request = { url: input.service.payloadUrl, headers, body }
  const outcome = await guardedPost(request, { timeLimit, privateHosts, signal })
  context.meter?.deliveryEnded('webhook', outcome.kind)
  context.log.info({ ...factsOf(call), outcome: outcome.kind }, 'Called an outgoing webhook')
  if (outcome.kind === 'stopped') return transaction((tx) => deferCall(tx, call, tx.now))

  // In the meantime, the message may have been moved, or the bot may have lost access to it.
  const present = await findInput(db, call, clock.now())
  if (present === null) return end(context, call, leftOut, [])
  await conclude(context, call, { ...present, service: input.service }, outcome)
}

async function findInput(
  db: Db,
  { botId, messageId, trigger }: WebhookCall,
  now: number,
): Promise<WebhookInput | null> {
  const user = await findUser(db, botId)
  const service = await findBotService(db, botId)
  const realm = await findRealm(db, user?.realmId ?? 0)
  if (user === null || user.deactivatedAt !== null || service === null) return null
  if (realm === null || realm.deactivatedAt !== null) return null
  const bot = { ...(await withActingRole(db, user)), realm }
  const readable = await unlessRefused(requireMessage(viewerOf(db, bot, now), messageId))
  if (readable instanceof Refusal) return null
  const command = trigger === 'command' ? await findCommand(db, realm.id, readable.message.content) : null
  return { bot, service, readable, trigger, command: command?.botId === botId ? command : null }
}

type Outcome = Exclude<PostOutcome, { kind: 'stopped' }>

function conclude(context: WebhookContext, call: WebhookCall, input: WebhookInput, outcome: Outcome): Promise<void> {
  switch (outcome.kind) {
    case 'answer':
      return handleResponse(context, call, input, outcome)
    case 'timeout':
      return retry(context, call, input, failures.timedOut(context.settings.OUTGOING_WEBHOOK_TIMEOUT_SECONDS))
    case 'unreachable':
      return retry(context, call, input, failures.unreachable(outcome.reason))
    case 'forbidden':
      return fail(context, call, input, failures.forbiddenAddress, null)
    case 'too large':
      return fail(context, call, input, failures.tooLarge, null)
  }
}

async function retry(
  context: WebhookContext,
  call: WebhookCall,
  input: WebhookInput,
  failure: failures.WebhookFailure,
): Promise<void> {
  const delay = RETRY_DELAYS[call.attempts - 1]
  if (delay === undefined) return fail(context, call, input, failure, null)
  await context.transaction(async (tx) => {
    await saveDeliveryAttempt(tx, call, resultOf(failure, null))
    await deferCall(tx, call, tx.now + delay)
  })
}

/** The result of a failed attempt, for the log. */
const resultOf = ({ ownerText, logText = ownerText }: failures.WebhookFailure, status: number | null) => ({
  status,
  error: logText,
})

type WebhookResponse = Extract<PostOutcome, { kind: 'answer' }>

async function handleResponse(
  context: WebhookContext,
  call: WebhookCall,
  input: WebhookInput,
  answer: WebhookResponse,
): Promise<void> {
  const { status, body } = answer
  if (status < 200 || status > 299) return fail(context, call, input, failures.badStatus(status, body), status)
  const refused = await unlessRefused(sendReply(context, call, input, answer))
  if (refused instanceof Refusal) await fail(context, call, input, failures.badAnswer(refused.message, body), status)
}

async function sendReply(
  context: WebhookContext,
  call: WebhookCall,
  input: WebhookInput,
  answer: WebhookResponse,
): Promise<void> {
  const reply = readBotResponse(input.service.interface, answer)
  const messages = reply === null ? [] : [await prepareReply(context, input, reply)]
  const outcome = reply === null ? 'accepted' : 'answered'
  await end(context, call, { outcome, status: answer.status, error: '' }, messages)
}

/** Reports the failure in the conversation, if the bot may send messages there, and to the owner of the bot. */
async function fail(
  context: WebhookContext,
  call: WebhookCall,
  input: WebhookInput,
  failure: failures.WebhookFailure,
  status: number | null,
): Promise<void> {
  const reply = { content: `Failure! ${failure.publicText}`, widget: null }
  const report = await unlessRefused(prepareReply(context, input, reply))
  const notice = await prepareOwnersNotice(context, input, failure)
  context.log.warn(factsOf(call), 'An outgoing webhook failed')
  const messages = [...(report instanceof Refusal ? [] : [report]), ...(notice === null ? [] : [notice])]
  await end(context, call, { outcome: 'failed', ...resultOf(failure, status) }, messages)
}

type DeliveryEnd = DeliveryResult & { outcome: DeliveryOutcome }

const leftOut: DeliveryEnd = { outcome: 'left_out', status: null, error: failures.noLongerReadable }

/** Deletes the call and sends the messages in one transaction, so that no message is sent twice or lost. */
async function end(
  context: WebhookContext,
  call: WebhookCall,
  delivery: DeliveryEnd,
  messages: readonly PreparedMessage[],
): Promise<void> {
  await context.transaction(async (tx) => {
    if (!(await deleteCall(tx, call))) return
    const bot = await findUser(tx.db, call.botId)
    const isActive = bot !== null && bot.deactivatedAt === null
    await endDelivery(tx, call, isActive ? delivery : leftOut)
    if (isActive) for (const message of messages) await sendMessage(tx, message)
  })
}

function prepareReply(
  { db, clock }: WebhookContext,
  { bot, readable }: WebhookInput,
  reply: BotReply,
): Promise<PreparedMessage> {
  const { message, conversation: place } = readable
  const to =
    place.channel === null
      ? { people: [...place.direct.participantIds] }
      : { channel: place.channel.id, topic: message.topic }
  return prepareMessage(db, bot, { ...toRequest(reply.content), to, widget: reply.widget }, clock.now())
}

/** Prepares a message from the bot to its owner. Returns null if there is no active owner. */
async function prepareOwnersNotice(
  { db, clock, settings }: WebhookContext,
  { bot, readable }: WebhookInput,
  failure: failures.WebhookFailure,
): Promise<PreparedMessage | null> {
  const owner = bot.botOwnerId === null ? null : await findUser(db, bot.botOwnerId)
  if (owner === null || owner.deactivatedAt !== null) return null
  const content = failures.failureNotice(bot, messageUrl(bot.realm, settings.EXTERNAL_URL, readable), failure)
  return prepareMessage(db, bot, { ...toRequest(content), to: { people: [owner.id] } }, clock.now())
}

const toRequest = (content: string): Omit<MessageRequest, 'to'> => ({
  content,
  client: CLIENT,
  isReadBySender: true,
  localEcho: null,
  isDeferred: true,
})

async function unlessRefused<Result>(work: Promise<Result>): Promise<Result | Refusal> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

/** Calls outgoing webhooks after the commit. Each bot gets one message at a time, in order. */
export function openWebhookJob(context: WebhookContext & { isResponsible: () => boolean }): Job {
  return openDeliveryJob({
    ...context,
    async findDue(now) {
      const first = await findFirstCalls(context.db)
      const later = first.filter(({ dueAt }) => dueAt > now).map(({ dueAt }) => dueAt)
      return { due: first.filter(({ dueAt }) => dueAt <= now), nextAt: later.length === 0 ? null : Math.min(...later) }
    },
    receiverIdOf: ({ botId }) => botId,
    deliver: (call, signal) => callWebhook(context, call, signal),
    failureMessage: 'Could not read or write calls of outgoing webhooks',
  })
}
