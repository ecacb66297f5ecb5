import { fenceFor, silentMention } from '#messages/notice-markdown.ts'
import type { User } from '#people/users.ts'

export type WebhookFailure = {
  /** The text that the bot sends to the conversation. */
  publicText: string
  ownerText: string
  /** The text in the log of deliveries, if it is not `ownerText`. */
  logText?: string
  /** The response of the receiver, if it helps to find the cause. */
  payload?: string
}

/** The maximum number of characters of a response to include in the notice to the owner. */
const MAX_SHOWN_LENGTH = 1000

export const forbiddenAddress: WebhookFailure = {
  publicText: 'Bot is unavailable',
  ownerText: 'The URL configured for the webhook is for a private or disallowed network.',
}

export const tooLarge: WebhookFailure = {
  publicText: 'The response is too large.',
  ownerText: 'The response of the webhook was too large to be read.',
}

const noDirectMessagesText = "Slack outgoing webhooks don't support direct messages."

export const noDirectMessages: WebhookFailure = { publicText: noDirectMessagesText, ownerText: noDirectMessagesText }

/** The bot was deactivated or lost access, or the message changed, before it was delivered. */
export const noLongerReadable = 'The bot may no longer read the message.'

/** The message was edited, or the command removed, before it was delivered. */
export const noCommand = 'The message no longer starts with a command of the bot.'

/** Every attempt was interrupted, because the server stopped. */
export const interrupted = 'The server stopped during each attempt.'

export function timedOut(seconds: number): WebhookFailure {
  return { publicText: 'Bot is unavailable', ownerText: `Request timed out after ${seconds} seconds.` }
}

export function unreachable(reason: string): WebhookFailure {
  return {
    publicText: 'Bot is unavailable',
    ownerText: `A connection error occurred. Is my bot server down? (${reason})`,
    logText: `The bot's server could not be reached (${reason}).`,
  }
}

export function badStatus(status: number, body: string): WebhookFailure {
  return {
    publicText: `Third party responded with ${status}`,
    ownerText: `The webhook got a response with status code *${status}*.`,
    logText: `The bot's server responded with status ${status}.`,
    payload: body,
  }
}

/** Returns the failure for a response that the bot could not send as a message. */
export function badAnswer(reason: string, body: string): WebhookFailure {
  const introduction =
    'The outgoing webhook server attempted to send a message, but that request resulted in the following error:'
  return {
    publicText: reason,
    ownerText: `${introduction}\n> ${reason}`,
    logText: `The response could not be sent as a message: ${reason}`,
    payload: body,
  }
}

/** Returns the notice to the owner of the bot. */
export function failureNotice(bot: User, messageUrl: string, { ownerText, payload = '' }: WebhookFailure): string {
  const notice = `[A message](${messageUrl}) to your bot ${silentMention(bot)} triggered an outgoing webhook.\n${ownerText}`
  if (payload.trim() === '') return notice
  const shown = payload.length > MAX_SHOWN_LENGTH ? `${payload.slice(0, MAX_SHOWN_LENGTH).toWellFormed()}…` : payload
  const fence = fenceFor(shown, 3)
  return `${notice}\n\nThe response contains the following payload:\n${fence}\n${shown}\n${fence}`
}
