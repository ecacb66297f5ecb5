import { viewerOf } from '#groups/viewer.ts'
import { refusal } from '#lib/errors.ts'
import type { ReadableMessage } from '#messages/access.ts'
import { type MessageFormat, type SharedMessageJson, toMessageJson } from '#messages/message.ts'
import { findReactions, findSubmessages } from '#messages/queries.ts'
import { findMessageContext } from '#messages/view-messages.ts'
import type { WebhookTrigger } from '#messages/webhook-calls.ts'
import { readWidgetParam, widgetParam } from '#messages/widgets.ts'
import type { BotService } from '#people/bots.ts'
import { type Actor, apiEmail, isVisible } from '#people/users.ts'
import { realmAddress } from '#realms/realm.ts'
import { ServiceInterface } from '#rules/role.ts'
import type { Db } from '#storage/storage.ts'

/** The input of a webhook: a message that the bot may read, the reason, and the bot's service with its token. */
export type WebhookInput = {
  bot: Actor
  service: BotService
  readable: ReadableMessage
  trigger: WebhookTrigger
  /** The command at the start of the message, if it is the reason. */
  command: { name: string; text: string } | null
}

/** Bots get Markdown and the URL of each avatar. */
const form: MessageFormat = {
  appliesMarkdown: false,
  allowsEmptyTopic: true,
  computesGravatar: false,
  extraEmojiType: 'zulip_extra_emoji',
}

/**
 * Returns the JSON of the generic interface. Its `message.id` is the same each time a call is repeated. Only commands add
 * a field to those of the reference server.
 */
export async function genericPayload(db: Db, input: WebhookInput, now: number): Promise<string> {
  const { bot, service, readable, trigger, command } = input
  const { message } = readable
  return JSON.stringify({
    bot_email: apiEmail(bot, bot.realm, db.settings.EXTERNAL_URL),
    bot_full_name: bot.fullName,
    data: message.content,
    message: { ...(await toJson(db, input, now)), rendered_content: message.renderedContent },
    token: service.token,
    trigger,
    ...(command !== null && { command: { name: command.name, text: command.text } }),
  })
}

/**
 * Returns the form data of the Slack-compatible interface. As in Slack, a command has its name in `command` and the rest
 * in `text`, and can come from a direct message; other messages come from channels.
 */
export async function slackPayload(db: Db, input: WebhookInput, now: number): Promise<string> {
  const { bot, service, readable, trigger, command } = input
  const json = await toJson(db, input, now)
  const { hostName } = realmAddress(bot.realm.subdomain, db.settings.EXTERNAL_URL)
  return new URLSearchParams({
    token: service.token,
    team_id: `T${bot.realm.id}`,
    team_domain: hostName,
    ...(readable.conversation.channel === null
      ? { channel_id: `D${json.recipient_id}`, channel_name: 'directmessage' }
      : { channel_id: `C${json.stream_id}`, channel_name: String(json.display_recipient) }),
    thread_ts: String(json.timestamp),
    timestamp: String(json.timestamp),
    user_id: `U${json.sender_id}`,
    user_name: json.sender_full_name,
    text: command === null ? readable.message.content : command.text,
    trigger_word: trigger,
    service_id: String(bot.id),
    ...(command !== null && { command: `/${command.name}` }),
  }).toString()
}

async function toJson(db: Db, { bot, readable }: WebhookInput, now: number): Promise<SharedMessageJson> {
  const { message, conversation: place } = readable
  const setting = await findMessageContext(db, bot.realm, message, place, bot.id)
  setting.reactions = await findReactions(db, message.id)
  setting.submessages = await findSubmessages(db, message.id)
  const visibleIds = await viewerOf(db, bot, now).visibleIds()
  setting.hidesSender = !isVisible(visibleIds, setting.sender)
  return toMessageJson(message, setting, form)
}

export type BotReply = { content: string; widget: string | null }

const invalidJson = refusal('BAD_REQUEST', 400, 'Invalid JSON in response')
const invalidFormat = refusal('BAD_REQUEST', 400, 'Invalid response format')
const invalidWidget = refusal('BAD_REQUEST', 400, 'Widgets: widget_content is not a form of choices')

const NO_CONTENT = 204

type Response = { status: number; contentType: string; body: string }

/**
 * Returns the message in the response of a webhook, or null if there is none. Refuses a malformed response. Programs that
 * were written for Slack may respond with plain text, or with nothing.
 */
export function readBotResponse(by: number, { status, contentType, body }: Response): BotReply | null {
  if (status === NO_CONTENT) return null
  const takesText = by === ServiceInterface.slack && (body === '' || /^text\/plain\b/i.test(contentType))
  if (takesText && !body.trimStart().startsWith('{')) return toReply(body)
  const answer = parse(body)
  // Older bot servers send an empty string if they have no message.
  if (answer === '') return null
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) throw invalidFormat()
  const fields = answer as Record<string, unknown>
  return by === ServiceInterface.slack ? toReply(fields['text']) : readGeneric(fields)
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    throw invalidJson()
  }
}

/** `response_string` is the old name of `content`. Responses with it cannot contain widgets. */
function readGeneric(fields: Record<string, unknown>): BotReply | null {
  if (isTruthy(fields['response_not_required'])) return null
  if (fields['response_string'] !== undefined) return toReply(fields['response_string'])
  return toReply(fields['content'], fields['widget_content'])
}

const isTruthy = (value: unknown) =>
  value !== undefined && value !== null && value !== false && value !== 0 && value !== ''

function toReply(content: unknown, widget?: unknown): BotReply | null {
  if (content === undefined || content === null) return null
  const text = typeof content === 'object' ? JSON.stringify(content) : String(content)
  return text.trim() === '' ? null : { content: text, widget: readWidget(widget) }
}

/** Bot servers send a widget as JSON, or as a string that contains JSON. */
function readWidget(given: unknown): string | null {
  if (given === '') return null
  const parsed = widgetParam.safeParse(typeof given === 'string' ? parseWidget(given) : given)
  if (!parsed.success) throw invalidWidget()
  return readWidgetParam(parsed.data)
}

function parseWidget(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalidWidget()
  }
}
