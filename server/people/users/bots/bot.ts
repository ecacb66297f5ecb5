import { z } from 'zod'
import { alwaysNull } from '#lib/encoding/always-null.ts'
import type { Random } from '#lib/security/random.ts'
import { randomLetters } from '#lib/security/secrets.ts'
import type { Realm } from '#realms/realm.ts'
import { apiEmail, ownAvatarUrl, type User } from '../user.ts'

/** The formats in which outgoing-webhook bots send messages, with their numbers in the API. */
export const ServiceInterface = { generic: 1, slack: 2 } as const

/** The URL to which an outgoing-webhook bot sends messages, and the format of these messages. */
export type ServiceAddress = { payloadUrl: string; interface: number }

/**
 * An outgoing webhook. Its token is sent with each message, so that the receiver can verify that the message comes from
 * this server.
 */
export type BotService = ServiceAddress & { token: string }

/** The length of a token in characters. It is the same as that of API keys. */
const TOKEN_LENGTH = 32

export function newToken(random: Random): string {
  return randomLetters(random, TOKEN_LENGTH)
}

export const serviceFields = { base_url: z.string(), interface: z.int(), token: z.string() }

type ServiceJson = { base_url: string; interface: number; token: string }

/** The values of bot settings for channels and events. Parley does not support these settings. */
export const botDefaults = {
  default_sending_stream: null,
  default_events_register_stream: null,
  default_all_public_streams: false,
} as const

export const botDefaultFields = {
  default_sending_stream: alwaysNull('string'),
  default_events_register_stream: alwaysNull('string'),
  default_all_public_streams: z.literal(false),
}

/** A bot as its owner and administrators see it. Its API key is returned only when the bot is created. */
export type Bot = ReturnType<typeof toBotJson>

export function toBotJson(bot: User, service: BotService | null, realm: Realm, externalUrl: string) {
  return {
    user_id: bot.id,
    email: apiEmail(bot, realm, externalUrl),
    full_name: bot.fullName,
    bot_type: bot.botType,
    is_active: bot.deactivatedAt === null,
    owner_id: bot.botOwnerId,
    avatar_url: ownAvatarUrl(bot),
    services: toServicesJson(service),
    ...botDefaults,
  }
}

/** Returns the entries of a bot's `services` field. */
export function toServicesJson(service: BotService | null): ServiceJson[] {
  if (service === null) return []
  return [{ base_url: service.payloadUrl, interface: service.interface, token: service.token }]
}
