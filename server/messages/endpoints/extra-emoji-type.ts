import type { Call } from '../../http/endpoint.ts'
import type { MessageFormat } from '../reading/message-json.ts'

/** Official clients of the protocol reject every name of the extra emoji's type but their own. */
export function extraEmojiType({ userAgent }: Pick<Call, 'userAgent'>): MessageFormat['extraEmojiType'] {
  return userAgent.startsWith('Zulip') ? 'zulip_extra_emoji' : 'service_extra_emoji'
}
