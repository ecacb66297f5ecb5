import { z } from 'zod'
import { invalidChannelId } from '#channels/access.ts'
import { messageTopicOf, topicCharacter } from '#channels/topic.ts'
import { viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import type { Transaction } from '#storage/storage.ts'
import { authorOf, invalidMessage, requireChangeableMessage, topicsRequired } from '../access.ts'
import { type Attachment, attachmentJson, toAttachmentJson } from '../attachments.ts'
import { messageContainsNull, unableToRender } from '../content.ts'
import { conflictingArguments, readTopicParam, topicParams } from '../endpoints/message-target.ts'
import { findMessageAudience } from '../events.ts'
import { requestLinkPreviews } from '../jobs/link-preview-queries.ts'
import { mayNotMentionChannel, mayNotMentionGroup, mayNotMentionTopic } from '../mentions.ts'
import type { EditEntry, Message } from '../message.ts'
import { queueNotifications } from '../sending/queue-notifications.ts'
import { mayNotPost } from '../sending/send-access.ts'
import { updateClaims } from '../uploads/claims.ts'
import * as editAccess from './edit-access.ts'
import { propagateModes, tooOldToMoveAll } from './edit-access.ts'
import { lockMessage, saveContent, saveHistoryEntry, saveMentions } from './edit-rows.ts'
import { moveMessages } from './move-messages.ts'
import * as prepare from './prepare-edit.ts'
import { type NewContent, type PreparedEdit, prepareEdit } from './prepare-edit.ts'
import { contentFields, emitMessageUpdate, updateEvent } from './update-event.ts'

/**
 * Applies the edit with one history entry and one event. Returns those of the actor's files to which messages no
 * longer link.
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
    const [senderId, topicRef] = [actor.id, messageTopicOf(message)]
    await queueNotifications(tx, [{ realm: actor.realm, messageId, senderId, topicRef, recipients: mentioned }])
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

export const updateMessage = endpoint({
  route: 'PATCH /messages/{message_id}',
  summary: 'Edit a message, or move it and other messages of its topic',
  description: 'The whole request is checked before anything changes.',
  who: 'user',
  params: {
    stream_id: z.int().optional().describe('The channel to move to.'),
    ...topicParams,
    propagate_mode: z
      .enum(propagateModes)
      .default('change_one')
      .describe('Move only this message, this and later messages, or the whole topic.'),
    send_notification_to_old_thread: z.boolean().default(false),
    send_notification_to_new_thread: z.boolean().default(true),
    content: z.string().optional().describe('The new content; empty content becomes "(deleted)".'),
  },
  returns: {
    detached_uploads: z.array(attachmentJson).describe('Your files that messages no longer link to.'),
  },
  refuses: [
    unableToRender,
    invalidMessage,
    invalidChannelId,
    conflictingArguments,
    messageContainsNull,
    topicCharacter,
    topicsRequired,
    prepare.nothingToChange,
    prepare.noTopicsInDirectMessages,
    prepare.cannotMoveDirectMessages,
    prepare.propagateModeWithoutMove,
    prepare.cannotResolveGeneralChat,
    prepare.contentChangedWithChannel,
    prepare.cannotEditWidget,
    editAccess.mayNotEdit,
    editAccess.editingDisabled,
    editAccess.tooLateToEdit,
    editAccess.mayNotResolve,
    editAccess.mayNotMove,
    editAccess.tooLateForTopic,
    editAccess.tooLateForChannel,
    tooOldToMoveAll,
    mayNotPost,
    mayNotMentionChannel,
    mayNotMentionTopic,
    mayNotMentionGroup,
  ],
  async handle(call, params) {
    const request: prepare.EditRequest = {
      content: params.content,
      topic: readTopicParam(params),
      channelId: params.stream_id,
      mode: params.propagate_mode,
      notifiesOldTopic: params.send_notification_to_old_thread,
      notifiesNewTopic: params.send_notification_to_new_thread,
    }
    const edit = await prepare.prepareEdit(call.db, call.actor, params.message_id, request, call.clock.now())
    const detached = await call.transaction((tx) => editMessage(tx, edit))
    return { detached_uploads: detached.map((attachment) => toAttachmentJson(attachment, [])) }
  },
})
