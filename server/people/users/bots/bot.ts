import { z } from 'zod'
import type { Realm } from '../../../organizations/realms/realm.ts'
import { alwaysNull } from '../../../platform/encoding/always-null.ts'
import type { Random } from '../../../platform/security/random.ts'
import { randomLetters } from '../../../platform/security/secrets.ts'
import { apiEmail, ownAvatarUrl, type User } from '../user.ts'

/** How an outgoing-webhook bot writes the messages that it passes on, by the numbers on the wire. */
export const ServiceInterface = { generic: 1, slack: 2 } as const

/** Where an outgoing-webhook bot passes messages on to, and how. */
export type ServiceAddress = { payloadUrl: string; interface: number }

/** The token goes with each message: by it the receiver knows that we are it who call. */
export type BotService = ServiceAddress & { token: string }

/** As many characters as API keys have. */
const TOKEN_LENGTH = 32

export function newToken(random: Random): string {
  return randomLetters(random, TOKEN_LENGTH)
}

export const serviceFields = { base_url: z.string(), interface: z.int(), token: z.string() }

type ServiceJson = { base_url: string; interface: number; token: string }

/** What bots could send or listen to by themselves; no bot is set up so. */
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

/** A bot as its owner and administrators see it; its API key is told when it is made, and never again. */
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

/** The service as it stands in a bot's `services`. */
export function toServicesJson(service: BotService | null): ServiceJson[] {
  if (service === null) return []
  return [{ base_url: service.payloadUrl, interface: service.interface, token: service.token }]
}
