import { messageTopicOf } from '#channels/topic.ts'
import { viewerOf } from '#groups/viewer.ts'
import type { Transaction } from '#storage/storage.ts'
import { requireChangeableMessage } from '../access.ts'
import type { Attachment } from '../attachments/attachment.ts'
import { updateClaims } from '../attachments/claim.ts'
import { findMessageAudience } from '../audience.ts'
import { requestLinkPreviews } from '../link-previews/queries.ts'
import type { Message } from '../message.ts'
import { scheduleNotifications } from '../notices/schedule-notifications.ts'
import { authorOf } from '../sending/author.ts'
import type { EditEntry } from './edit-history.ts'
import { lockMessage, saveContent, saveHistoryEntry, saveMentions } from './edit-rows.ts'
import { moveMessages } from './move-messages.ts'
import { type NewContent, type PreparedEdit, prepareEdit } from './prepare-edit.ts'
import { contentFields, emitMessageUpdate, updateEvent } from './update-event.ts'

/**
 * Applies the edit with one history entry and one event. Returns those of the actor's files to which no message links
 * any more.
 */
export async function editMessage(tx: Transaction, prepared: PreparedEdit): Promise<readonly Attachment[]> {
  const { actor, messageId } = prepared
  await lockMessage(tx, messageId)
  const { message, conversation } = await requireChangeableMessage(viewerOf(tx.db, actor, tx.now), messageId)
  const { newContent, move } = await prepareAgainIfChanged(tx, prepared, message)
  const event = updateEvent(actor, message, conversation, tx.now)
  const author = { user_id: actor.id, timestamp: Math.floor(tx.now) }
  let entry: EditEntry = author
  let detached: readonly Attachment[] = []

  if (newContent !== null) {
    const claims = await updateClaims(tx, authorOf(actor), messageId, newContent.rendering.html)
    detached = claims.detached
    await saveContent(tx, message, newContent, claims.hasAttachment)
    const mentioned = await saveMentions(tx, messageId, newContent.mentions)
    await scheduleNotifications(
      tx,
      { realm: actor.realm, messageId, senderId: actor.id, topicRef: messageTopicOf(message) },
      mentioned,
    )
    await requestLinkPreviews(tx, { messageId, senderId: message.senderId }, newContent.rendering)
    entry = { ...author, ...contentEntry(message) }
    Object.assign(event, contentFields(message, newContent))
  }
  if (move !== null) await moveMessages(tx, { actor, message, move, entry, author, event })
  else if (newContent !== null) {
    await saveHistoryEntry(tx, [messageId], entry)
    emitMessageUpdate(tx, actor.realmId, event, await findMessageAudience(tx, messageId, conversation))
  }
  return detached
}

const contentEntry = ({ content, renderedContent }: Message): Partial<EditEntry> => ({
  prev_content: content,
  prev_rendered_content: renderedContent,
})

/** Returns the prepared edit, or prepares it again if the message was changed in the meantime. */
async function prepareAgainIfChanged(
  tx: Transaction,
  prepared: PreparedEdit,
  message: Message,
): Promise<{ newContent: NewContent | null; move: PreparedEdit['move'] }> {
  const { actor, messageId, request, original } = prepared
  const isSame =
    message.content === original.content && message.topic === original.topic && message.channelId === original.channelId
  return isSame ? prepared : prepareEdit(tx.db, actor, messageId, request, tx.now)
}
