import type { Viewer } from '#groups/viewer.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { findUser } from '#people/users/queries.ts'
import { deletionProblem } from '#rules/message-rules.ts'
import type { Message } from '../message.ts'

export const mayNotDelete = refusal('BAD_REQUEST', 400, "You don't have permission to delete this message")
export const tooLateToDelete = refusal('BAD_REQUEST', 400, 'The time limit for deleting this message has passed')

export async function requireMayDelete(viewer: Viewer, message: Message): Promise<void> {
  const deletesAny = await viewer.has('can_delete_any_message_group')
  const may = {
    deletesAny,
    isOwn: deletesAny || (await isOwn(viewer, message)),
    deletesOwn: await viewer.has('can_delete_own_message_group'),
    limit: viewer.actor.realm.settings.message_content_delete_limit_seconds,
  }
  const problem = deletionProblem(message, may, viewer.now)
  if (problem !== null) throw problem === 'too-late' ? tooLateToDelete() : mayNotDelete()
}

/** Returns true for messages from the actor and from the actor's bots. */
async function isOwn({ db, actor }: Viewer, message: Message): Promise<boolean> {
  if (message.senderId === actor.id) return true
  const sender = await findUser(db, message.senderId)
  return sender?.botOwnerId === actor.id
}
