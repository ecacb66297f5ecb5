import { type Viewer, viewerOf } from '../../groups/viewer.ts'
import { findUser } from '../../people/users/queries.ts'
import type { Actor } from '../../people/users/user.ts'
import { refusal } from '../../platform/errors/refusal.ts'
import type { Db, Transaction } from '../../platform/storage/storage.ts'
import { requireChangeableMessage } from '../access.ts'
import type { Message } from '../message.ts'
import { deleteMessages } from './delete-messages.ts'
import { lockMessage } from './edit-rows.ts'

export const mayNotDelete = refusal('BAD_REQUEST', 400, "You don't have permission to delete this message")
export const tooLateToDelete = refusal('BAD_REQUEST', 400, 'The time limit for deleting this message has passed')

/** Deletes the message for all users, with its reactions and flags. */
export async function deleteMessage(tx: Transaction, actor: Actor, messageId: number): Promise<void> {
  await lockMessage(tx, messageId)
  const viewer = viewerOf(tx.db, actor, tx.now)
  const { message, conversation } = await requireChangeableMessage(viewer, messageId)
  await requireMayDelete(viewer, message)
  await deleteMessages(tx, actor.realmId, [message], conversation)
}

async function requireMayDelete(viewer: Viewer, message: Message): Promise<void> {
  const { db, actor, now } = viewer
  if (await viewer.has('can_delete_any_message_group')) return
  if (!(await isOwn(db, actor, message))) throw mayNotDelete()
  if (!(await viewer.has('can_delete_own_message_group'))) throw mayNotDelete()
  const limit = actor.realm.settings.message_content_delete_limit_seconds
  if (limit !== null && now > message.sentAt + limit) throw tooLateToDelete()
}

/** Messages from a user's bot count as the user's own. */
async function isOwn(db: Db, actor: Actor, message: Message): Promise<boolean> {
  if (message.senderId === actor.id) return true
  const sender = await findUser(db, message.senderId)
  return sender?.botOwnerId === actor.id
}
