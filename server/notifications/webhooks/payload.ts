import { viewerOf } from '#groups/viewer.ts'
import type { ReadableMessage } from '#messages/access.ts'
import { findMessageContext } from '#messages/content/message-context.ts'
import type { WebhookTrigger } from '#messages/notices/webhook-call.ts'
import { type MessageFormat, type SharedMessageJson, toMessageJson } from '#messages/reading/message-json.ts'
import { findReactions, findSubmessages } from '#messages/reading/queries.ts'
import type { BotService } from '#people/users/bots/bot.ts'
import { type Actor, apiEmail, isVisible } from '#people/users/user.ts'
import { realmAddress } from '#realms/realm.ts'
import type { Db } from '#storage/storage.ts'

/** The input of a webhook: a message that the bot may read, the reason, and the bot's service with its token. */
export type WebhookInput = { bot: Actor; service: BotService; readable: ReadableMessage; trigger: WebhookTrigger }

/** Bots get Markdown and the URL of each avatar. */
const form: MessageFormat = {
  appliesMarkdown: false,
  allowsEmptyTopic: true,
  computesGravatar: false,
  extraEmojiType: 'zulip_extra_emoji',
}

/** Returns the JSON of the generic interface. Its `message.id` is the same each time a call is repeated. */
export async function genericPayload(db: Db, input: WebhookInput, now: number): Promise<string> {
  const { bot, service, readable, trigger } = input
  const { message } = readable
  return JSON.stringify({
    bot_email: apiEmail(bot, bot.realm, db.settings.EXTERNAL_URL),
    bot_full_name: bot.fullName,
    data: message.content,
    message: { ...(await toJson(db, input, now)), rendered_content: message.renderedContent },
    token: service.token,
    trigger,
  })
}

/** Returns the form data of the Slack-compatible interface, which supports channels only. */
export async function slackPayload(db: Db, input: WebhookInput, now: number): Promise<string> {
  const { bot, service, readable, trigger } = input
  const json = await toJson(db, input, now)
  const { hostName } = realmAddress(bot.realm.subdomain, db.settings.EXTERNAL_URL)
  return new URLSearchParams({
    token: service.token,
    team_id: `T${bot.realm.id}`,
    team_domain: hostName,
    channel_id: `C${json.stream_id}`,
    channel_name: String(json.display_recipient),
    thread_ts: String(json.timestamp),
    timestamp: String(json.timestamp),
    user_id: `U${json.sender_id}`,
    user_name: json.sender_full_name,
    text: readable.message.content,
    trigger_word: trigger,
    service_id: String(bot.id),
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
