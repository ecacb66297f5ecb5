import { z } from 'zod'
import { invalidChannelId } from '#channels/access.ts'
import { topicCharacter } from '#channels/topic.ts'
import { endpoint } from '#http/endpoint.ts'
import { invalidMessage } from '../access.ts'
import { attachmentJson, toAttachmentJson } from '../attachments/attachment.ts'
import { messageContainsNull } from '../content/content.ts'
import { mayNotMentionChannel, mayNotMentionGroup, mayNotMentionTopic } from '../content/mention-access.ts'
import { unableToRender } from '../content/render-content.ts'
import * as editAccess from '../editing/edit-access.ts'
import { editMessage } from '../editing/edit-message.ts'
import { tooOldToMoveAll } from '../editing/movable-messages.ts'
import { propagateModes } from '../editing/move.ts'
import * as prepare from '../editing/prepare-edit.ts'
import { mayNotPost } from '../sending/send-access.ts'
import { topicsRequired } from '../topic-access.ts'
import { conflictingArguments, readTopicParam, topicParams } from './topic-param.ts'

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
