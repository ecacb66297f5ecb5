import type { Settings } from '../../config.ts'
import { requireMessage } from '../../messages/access.ts'
import { messageUrl } from '../../messages/message-url.ts'
import { prepareNotice } from '../../messages/sending/notices.ts'
import { type MessageRequest, type PreparedMessage, prepareMessage } from '../../messages/sending/prepare-message.ts'
import { saveMessage } from '../../messages/sending/send-message.ts'
import { findRealm } from '../../organizations/realms/queries.ts'
import { withActingRole } from '../../people/users/bots/acting-role.ts'
import { ServiceInterface } from '../../people/users/bots/bot.ts'
import { findBotService } from '../../people/users/bots/bot-queries.ts'
import { findUser } from '../../people/users/queries.ts'
import { Refusal } from '../../platform/errors/refusal.ts'
import { guardedPost, type PostOutcome } from '../../platform/net/guarded-fetch.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import type { Log } from '../../platform/runtime/log.ts'
import type { Db, RunTransaction } from '../../platform/storage/storage.ts'
import { type BotReply, readBotResponse } from './bot-response.ts'
import { claimCall, deferCall, deleteCall } from './calls/queries.ts'
import type { WebhookCall } from './calls/webhook-call.ts'
import { genericPayload, slackPayload, type WebhookInput } from './payload.ts'
import * as failures from './webhook-failure.ts'

/** All that it takes to pass messages on. */
export type WebhookContext = { db: Db; transaction: RunTransaction; clock: Clock; log: Log; settings: Settings }

/** Seconds from an attempt that found nobody to the next. */
const RETRY_DELAYS = [1, 5, 20]

/** Seconds beyond the time limit after which a call is made again whose outcome nobody recorded: its process died. */
const GRACE = 15

/** An attempt that still ends without any outcome is the last. */
const MAX_ATTEMPTS = 8

const USER_AGENT = 'ParleyOutgoingWebhook'

/** The header that is the same in each repetition, and in no other call of the bot. */
const MESSAGE_ID = 'x-parley-message-id'

/** What the bot's answers name as their client. */
const CLIENT = 'OutgoingWebhookResponse'

/**
 * Passes the message on once, and says what the receiver answers, or what failed. The attempt is counted before it is
 * made: a process that dies in between leaves a call that is made once more. Nothing happens when the bot has no account
 * any more, or may not read the message. What is wrong with one call is logged, and holds up no other bot.
 */
export async function callWebhook(room: WebhookContext, due: WebhookCall, signal: AbortSignal): Promise<void> {
  const patience = room.settings.OUTGOING_WEBHOOK_TIMEOUT_SECONDS + GRACE
  if (!(await room.transaction((tx) => claimCall(tx, due, tx.now + patience)))) return
  const call = { ...due, attempts: due.attempts + 1 }
  try {
    await attempt(room, call, signal)
  } catch (error) {
    room.log.error({ err: error, ...factsOf(call) }, 'A webhook could not be called, or its answer not be said')
  }
}

const factsOf = ({ botId, messageId, attempts }: WebhookCall) => ({ botId, messageId, attempts })

async function attempt(room: WebhookContext, call: WebhookCall, signal: AbortSignal): Promise<void> {
  const { db, transaction, clock, settings } = room
  const occasion = call.attempts > MAX_ATTEMPTS ? null : await findOccasion(db, call, clock.now())
  if (occasion === null) return end(room, call, [])

  const isSlack = occasion.service.interface === ServiceInterface.slack
  if (isSlack && occasion.readable.conversation.channel === null)
    return fail(room, call, occasion, { publicText: failures.noDirectMessages, ownerText: failures.noDirectMessages })
  const [type, body] = isSlack
    ? ['application/x-www-form-urlencoded', await slackPayload(db, occasion, clock.now())]
    : ['application/json', await genericPayload(db, occasion, clock.now())]
  const headers = { 'content-type': type, 'user-agent': USER_AGENT, [MESSAGE_ID]: String(call.messageId) }
  const { OUTGOING_WEBHOOK_PRIVATE_HOSTS: privateHosts, OUTGOING_WEBHOOK_TIMEOUT_SECONDS: timeLimit } = settings
  const request = { url: occasion.service.payloadUrl, headers, body }
  const posted = await guardedPost(request, { timeLimit, privateHosts, signal })
  room.log.info({ ...factsOf(call), outcome: posted.kind }, 'Webhook called')
  if (posted.kind === 'stopped') return transaction((tx) => deferCall(tx, call, tx.now))

  // The message may have been moved meanwhile, or taken from the bot.
  const present = await findOccasion(db, call, clock.now())
  if (present === null) return end(room, call, [])
  await conclude(room, call, { ...present, service: occasion.service }, posted)
}

async function findOccasion(
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
  const readable = await unlessRefused(requireMessage(db, bot, messageId, now))
  return readable instanceof Refusal ? null : { bot, service, readable, trigger }
}

type Outcome = Exclude<PostOutcome, { kind: 'stopped' }>

function conclude(room: WebhookContext, call: WebhookCall, occasion: WebhookInput, posted: Outcome): Promise<void> {
  switch (posted.kind) {
    case 'answer':
      return takeAnswer(room, call, occasion, posted)
    case 'timeout':
      return retry(room, call, occasion, failures.timedOut(room.settings.OUTGOING_WEBHOOK_TIMEOUT_SECONDS))
    case 'unreachable':
      return retry(room, call, occasion, failures.unreachable(posted.reason))
    case 'forbidden':
      return fail(room, call, occasion, failures.forbiddenAddress)
    case 'too large':
      return fail(room, call, occasion, failures.tooLarge)
  }
}

async function retry(
  room: WebhookContext,
  call: WebhookCall,
  occasion: WebhookInput,
  failure: failures.WebhookFailure,
): Promise<void> {
  const delay = RETRY_DELAYS[call.attempts - 1]
  if (delay === undefined) return fail(room, call, occasion, failure)
  await room.transaction((tx) => deferCall(tx, call, tx.now + delay))
}

type Answered = { status: number; body: string }

async function takeAnswer(
  room: WebhookContext,
  call: WebhookCall,
  occasion: WebhookInput,
  answer: Answered,
): Promise<void> {
  const { status, body } = answer
  if (status < 200 || status > 299) return fail(room, call, occasion, failures.badStatus(status, body))
  const refused = await unlessRefused(sayAnswer(room, call, occasion, answer))
  if (refused instanceof Refusal) await fail(room, call, occasion, failures.badAnswer(refused.message, body))
}

async function sayAnswer(
  room: WebhookContext,
  call: WebhookCall,
  occasion: WebhookInput,
  answer: Answered,
): Promise<void> {
  const reply = readBotResponse(occasion.service.interface, answer)
  await end(room, call, reply === null ? [] : [await prepareReply(room, occasion, reply)])
}

/** What failed is said where the message stands, as far as the bot may write there, and told to its owner. */
async function fail(
  room: WebhookContext,
  call: WebhookCall,
  occasion: WebhookInput,
  failure: failures.WebhookFailure,
): Promise<void> {
  const reply = { content: `Failure! ${failure.publicText}`, widget: null }
  const said = await unlessRefused(prepareReply(room, occasion, reply))
  const notice = await prepareOwnersNotice(room, occasion, failure)
  room.log.warn(factsOf(call), 'A webhook failed')
  await end(room, call, [...(said instanceof Refusal ? [] : [said]), ...(notice === null ? [] : [notice])])
}

/** Ends the call and sends the messages, in one transaction: neither twice, nor one without the other. */
async function end(room: WebhookContext, call: WebhookCall, messages: readonly PreparedMessage[]): Promise<void> {
  await room.transaction(async (tx) => {
    if (!(await deleteCall(tx, call))) return
    const bot = await findUser(tx.db, call.botId)
    if (bot === null || bot.deactivatedAt !== null) return
    for (const message of messages) await saveMessage(tx, message)
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

/** From the bot, or from the notification bot where the bot may not write to its owner; null when nobody owns it. */
async function prepareOwnersNotice(
  { db, clock, settings }: WebhookContext,
  { bot, readable }: WebhookInput,
  failure: failures.WebhookFailure,
): Promise<PreparedMessage | null> {
  const owner = bot.botOwnerId === null ? null : await findUser(db, bot.botOwnerId)
  if (owner === null || owner.deactivatedAt !== null) return null
  const content = failures.failureNotice(bot, messageUrl(bot.realm, settings.EXTERNAL_URL, readable), failure)
  const notice = await unlessRefused(
    prepareMessage(db, bot, { ...toRequest(content), to: { people: [owner.id] } }, clock.now()),
  )
  return notice instanceof Refusal ? prepareNotice(db, { recipientIds: [owner.id], content }) : notice
}

const toRequest = (content: string): Omit<MessageRequest, 'to'> => ({
  content,
  client: CLIENT,
  isReadBySender: true,
  localEcho: null,
  isSentLater: true,
})

async function unlessRefused<Result>(work: Promise<Result>): Promise<Result | Refusal> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}
