import { viewerOf } from '#groups/viewer.ts'
import type { Actor } from '#people/users/user.ts'
import type { Transaction } from '#storage/storage.ts'
import { requireChangeableMessage } from '../access.ts'
import { requireMayDelete } from './delete-access.ts'
import { deleteMessages } from './delete-messages.ts'
import { lockMessage } from './edit-rows.ts'

/** Deletes the message for all users, with its reactions and flags. */
export async function deleteMessage(tx: Transaction, actor: Actor, messageId: number): Promise<void> {
  await lockMessage(tx, messageId)
  const viewer = viewerOf(tx.db, actor, tx.now)
  const { message, conversation } = await requireChangeableMessage(viewer, messageId)
  await requireMayDelete(viewer, message)
  await deleteMessages(tx, actor.realmId, [message], conversation, actor.id)
}
