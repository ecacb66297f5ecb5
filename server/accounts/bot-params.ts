import { parseJson } from '#http/params.ts'
import { refusal } from '#lib/errors.ts'
import { BotType, ServiceInterface } from '#rules/role.ts'

// The parameters of bots: their type, and the address and format of an outgoing webhook.

export const invalidBotType = refusal('BAD_REQUEST', 400, 'Invalid bot type', { field: 'bot_type' })
export const embeddedBotsDisabled = refusal('BAD_REQUEST', 400, 'Embedded bots are not enabled.', { field: 'bot_type' })
export const invalidInterface = refusal('BAD_REQUEST', 400, 'Invalid interface type', { field: 'interface_type' })
export const notAUrl = refusal('BAD_REQUEST', 400, '{name} is not a URL', { field: '{name}' })

/** Returns the type of a new bot. Refuses types other than generic, incoming webhook and outgoing webhook. */
export function requireBotType(botType: number): number {
  if (botType === BotType.embedded) throw embeddedBotsDisabled()
  if (!(Object.values(BotType) as number[]).includes(botType)) throw invalidBotType()
  return botType
}

export function requireInterface(number: number): number {
  if (!(Object.values(ServiceInterface) as number[]).includes(number)) throw invalidInterface()
  return number
}

const MAX_URL_LENGTH = 2000

/** Returns the HTTP URL in the parameter `name`. Clients send it as plain text or as a JSON string. */
export function requireUrl(name: string, given: string): string {
  const value = given.startsWith('"') ? parseJson(given)?.value : given
  const url = typeof value === 'string' && value.length <= MAX_URL_LENGTH ? URL.parse(value) : null
  if (url === null || !/^https?:$/.test(url.protocol)) throw notAUrl({ name })
  return url.href
}
