import type { Transaction } from '../storage/storage.ts'
import { requireChangeableMessage } from './access.ts'
import { findHearers } from './audience.ts'
import type { EditEntry } from './edit-history.ts'
import { lockMessage, saveContent, saveEntry, saveMentions } from './edit-rows.ts'
import type { Message } from './message.ts'
import { moveMessages } from './move-messages.ts'
import { type NewContent, type PreparedEdit, prepareEdit } from './prepare-edit.ts'
import { contentFields, emitUpdate, updateEvent } from './update-event.ts'

/** Applies the edit: one entry in the history of the message and one event, whatever changes. */
export async function editMessage(tx: Transaction, prepared: PreparedEdit): Promise<void> {
  const { actor, messageId } = prepared
  await lockMessage(tx, messageId)
  const { message, place } = await requireChangeableMessage(tx.db, actor, messageId, tx.now)
  const { newContent, move } = await renewed(tx, prepared, message)
  const event = updateEvent(actor, message, place, tx.now)
  const author = { user_id: actor.id, timestamp: Math.floor(tx.now) }
  let entry: EditEntry = author

  if (newContent !== null) {
    await saveContent(tx, message, newContent)
    await saveMentions(tx, messageId, newContent.mentions)
    entry = { ...author, ...contentPart(message) }
    Object.assign(event, contentFields(message, newContent))
  }
  if (move !== null) return moveMessages(tx, { actor, message, move, entry, author, event })
  if (newContent === null) return
  await saveEntry(tx, [messageId], entry)
  emitUpdate(tx, actor.realmId, event, await findHearers(tx.db, messageId, place))
}

const contentPart = ({ content, renderedContent }: Message): Partial<EditEntry> => ({
  prev_content: content,
  prev_rendered_content: renderedContent,
})

/** The edit as it was prepared, or anew where somebody else changed the message in the meantime. */
async function renewed(
  tx: Transaction,
  prepared: PreparedEdit,
  message: Message,
): Promise<{ newContent: NewContent | null; move: PreparedEdit['move'] }> {
  const { actor, messageId, request, basis } = prepared
  const isSame =
    message.content === basis.content && message.topic === basis.topic && message.channelId === basis.channelId
  return isSame ? prepared : prepareEdit(tx.db, actor, messageId, request, tx.now)
}
