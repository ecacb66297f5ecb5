import { fenceFor } from '../../messages/sending/names.ts'
import { silentMention } from '../../messages/sending/notices.ts'
import type { User } from '../../people/users/user.ts'

/** Why a message was not passed on, or its answer not said. */
export type WebhookFailure = {
  /** What the bot says where the message stands. */
  publicText: string
  /** What its owner is told beside. */
  ownerText: string
  /** What came from the receiver, where that helps to mend it. */
  payload?: string
}

/** Characters of an answer that are shown to the owner. */
const SHOWN = 1000

export const forbiddenAddress: WebhookFailure = {
  publicText: 'Bot is unavailable',
  ownerText: 'The URL configured for the webhook is for a private or disallowed network.',
}

export const tooLarge: WebhookFailure = {
  publicText: 'The response is too large.',
  ownerText: 'The response of the webhook was too large to be read.',
}

export const noDirectMessages = "Slack outgoing webhooks don't support direct messages."

export function timedOut(seconds: number): WebhookFailure {
  return { publicText: 'Bot is unavailable', ownerText: `Request timed out after ${seconds} seconds.` }
}

export function unreachable(reason: string): WebhookFailure {
  return {
    publicText: 'Bot is unavailable',
    ownerText: `A connection error occurred. Is my bot server down? (${reason})`,
  }
}

export function badStatus(status: number, body: string): WebhookFailure {
  return {
    publicText: `Third party responded with ${status}`,
    ownerText: `The webhook got a response with status code *${status}*.`,
    payload: body,
  }
}

/** The receiver took the message, and what it had the bot say was refused. */
export function badAnswer(reason: string, body: string): WebhookFailure {
  const told =
    'The outgoing webhook server attempted to send a message, but that request resulted in the following error:'
  return { publicText: reason, ownerText: `${told}\n> ${reason}`, payload: body }
}

/** What the bot's owner is told. */
export function failureNotice(
  bot: User,
  messageUrl: string,
  { ownerText: told, payload = '' }: WebhookFailure,
): string {
  const notice = `[A message](${messageUrl}) to your bot ${silentMention(bot)} triggered an outgoing webhook.\n${told}`
  if (payload.trim() === '') return notice
  const shown = payload.length > SHOWN ? `${payload.slice(0, SHOWN).toWellFormed()}…` : payload
  const fence = fenceFor(shown, 3)
  return `${notice}\n\nThe response contains the following payload:\n${fence}\n${shown}\n${fence}`
}
