import type { AnswerOf } from '../../api/types.ts'
import type { Organization } from '../organization.ts'

/** A message as `GET /messages` returns it, with the user's flags. */
export type Message = AnswerOf<'GET /messages'>['messages'][number]

/** Values of `visibility_policy` of the API: the user's setting for a topic. */
export const TopicPolicy = { inherit: 0, muted: 1, unmuted: 2, followed: 3 } as const

/**
 * Returns true if a system bot reports in a channel what the user did, for example that they resolved a topic. To the
 * user, this is no news.
 */
export function isOwnNotice(
  { type, sender_id, content }: Pick<Message, 'type' | 'sender_id' | 'content'>,
  { user_id: ownId, cross_realm_bots }: Pick<Organization, 'user_id' | 'cross_realm_bots'>,
): boolean {
  if (type === 'private' || !cross_realm_bots.some(({ user_id }) => user_id === sender_id)) return false
  const mentioned = [...content.matchAll(/<span class="user-mention silent" data-user-id="(\d+)">/g)]
  return mentioned.length > 0 && mentioned.every(([, id]) => Number(id) === ownId)
}
