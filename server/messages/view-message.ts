import { findVisibleUserIds } from '../groups/visible-users.ts'
import type { Db } from '../storage/storage.ts'
import type { Actor } from '../users/user.ts'
import type { ReadableMessage } from './access.ts'
import { findReactions, findSubmessages } from './fetch.ts'
import { toFlagsJson } from './flag.ts'
import { type MessageForm, type MessageJson, type MessageSetting, toMessageJson } from './message-json.ts'
import { findMessageSetting } from './message-setting.ts'

/** A message as the actor sees it who may read it. */
export async function viewMessage(
  db: Db,
  actor: Actor,
  { message, place }: ReadableMessage,
  form: MessageForm,
  now: number,
): Promise<MessageJson> {
  const setting = await findMessageSetting(db, actor.realm, message, place, actor.id)
  if (message.hasReactions) setting.reactions = await findReactions(db, message.id)
  if (message.hasSubmessages) setting.submessages = await findSubmessages(db, message.id)
  setting.hidesSender = await isHidden(db, actor, setting, now)
  return Object.assign(toMessageJson(message, setting, form), { flags: toFlagsJson(message.flags) })
}

async function isHidden(db: Db, actor: Actor, { sender }: MessageSetting, now: number): Promise<boolean> {
  if (sender.realmId !== actor.realmId) return false
  const visibleIds = await findVisibleUserIds(db, actor, now)
  return visibleIds !== null && !visibleIds.has(sender.id)
}
