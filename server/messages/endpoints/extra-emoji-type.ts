import type { Call } from '#http/endpoint.ts'
import type { MessageFormat } from '../reading/message-json.ts'

/** Returns the type of the extra emoji. Official Zulip clients accept only `zulip_extra_emoji`. */
export function extraEmojiType({ userAgent }: Pick<Call, 'userAgent'>): MessageFormat['extraEmojiType'] {
  return userAgent.startsWith('Zulip') ? 'zulip_extra_emoji' : 'service_extra_emoji'
}
