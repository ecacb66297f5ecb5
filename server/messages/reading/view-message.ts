import type { Viewer } from '#groups/viewer.ts'
import { isVisible } from '#people/users/user.ts'
import type { ReadableMessage } from '../access.ts'
import { findMessageContext } from '../content/message-context.ts'
import { toFlagsJsonText } from '../flags/flag.ts'
import type { MessageFormat } from './message-json.ts'
import { findReactions, findSubmessages } from './queries.ts'
import { serializeMessage } from './serialize-message.ts'

/** Returns the response fields `message` and `raw_content` as JSON, for an actor who may read the message. */
export async function viewMessage(
  viewer: Viewer,
  { message, flags, conversation }: ReadableMessage,
  format: MessageFormat,
): Promise<string> {
  const { db, actor } = viewer
  const context = await findMessageContext(db, actor.realm, message, conversation, actor.id)
  context.reactions = await findReactions(db, message.id)
  context.submessages = await findSubmessages(db, message.id)
  const visibleIds = await viewer.visibleIds()
  context.hidesSender = !isVisible(visibleIds, context.sender)
  const { sharedFields: shared, rawContent } = serializeMessage(message, context, format)
  return `"message":{${shared},"flags":${toFlagsJsonText(flags)}},"raw_content":${rawContent}`
}
