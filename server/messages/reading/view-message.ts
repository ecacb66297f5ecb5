import { findVisibleUserIds } from '../../groups/visible-users.ts'
import { type Actor, isVisible } from '../../people/users/user.ts'
import type { Db } from '../../platform/storage/storage.ts'
import type { ReadableMessage } from '../access.ts'
import { findMessageSetting } from '../content/message-setting.ts'
import { toFlagsJsonText } from '../flags/flag.ts'
import { findReactions, findSubmessages } from './fetch.ts'
import type { MessageForm } from './message-json.ts'
import { messageText } from './message-text.ts'

/** The fields `message` and `raw_content` of an answer: a message as the actor sees it who may read it. */
export async function viewMessage(
  db: Db,
  actor: Actor,
  { message, flags, place }: ReadableMessage,
  form: MessageForm,
  now: number,
): Promise<string> {
  const setting = await findMessageSetting(db, actor.realm, message, place, actor.id)
  setting.reactions = await findReactions(db, message.id)
  setting.submessages = await findSubmessages(db, message.id)
  const visibleIds = await findVisibleUserIds(db, actor, now)
  setting.hidesSender = !isVisible(visibleIds, setting.sender)
  const { shared, rawContent } = messageText(message, setting, form)
  return `"message":{${shared},"flags":${toFlagsJsonText(flags)}},"raw_content":${rawContent}`
}
