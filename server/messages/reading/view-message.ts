import { findVisibleUserIds } from '../../groups/visible-users.ts'
import { type Actor, isVisible } from '../../people/users/user.ts'
import type { Db } from '../../platform/storage/storage.ts'
import type { ReadableMessage } from '../access.ts'
import { findMessageContext } from '../content/message-context.ts'
import { toFlagsJsonText } from '../flags/flag.ts'
import type { MessageFormat } from './message-json.ts'
import { findReactions, findSubmessages } from './queries.ts'
import { serializeMessage } from './serialize-message.ts'

/** Returns the response fields `message` and `raw_content` as JSON, for an actor who may read the message. */
export async function viewMessage(
  db: Db,
  actor: Actor,
  { message, flags, conversation }: ReadableMessage,
  format: MessageFormat,
  now: number,
): Promise<string> {
  const context = await findMessageContext(db, actor.realm, message, conversation, actor.id)
  context.reactions = await findReactions(db, message.id)
  context.submessages = await findSubmessages(db, message.id)
  const visibleIds = await findVisibleUserIds(db, actor, now)
  context.hidesSender = !isVisible(visibleIds, context.sender)
  const { sharedFields: shared, rawContent } = serializeMessage(message, context, format)
  return `"message":{${shared},"flags":${toFlagsJsonText(flags)}},"raw_content":${rawContent}`
}
