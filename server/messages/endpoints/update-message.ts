import { z } from 'zod'
import { invalidChannelId } from '../../channels/access.ts'
import { endpoint } from '../../http/endpoint.ts'
import { invalidMessage } from '../access.ts'
import { attachmentJson, toAttachmentJson } from '../attachments/attachment.ts'
import { messageHoldsNull } from '../content/content.ts'
import { mayNotMentionChannel, mayNotMentionGroup, mayNotMentionTopic } from '../content/mentions.ts'
import { unableToRender } from '../content/render-content.ts'
import * as editAccess from '../editing/edit-access.ts'
import { editMessage } from '../editing/edit-message.ts'
import { tooOldToMoveAll } from '../editing/movable-messages.ts'
import { propagateModes } from '../editing/move.ts'
import * as prepare from '../editing/prepare-edit.ts'
import { mayNotPost } from '../sending/send-access.ts'
import { topicCharacter } from '../topic.ts'
import { topicsRequired } from '../topic-access.ts'
import { confusingArguments, readTopicParam, topicParams } from './topic-param.ts'

export const updateMessage = endpoint({
  route: 'PATCH /messages/{message_id}',
  summary: 'Edit a message, or move it and others of its topic',
  description: 'Everything is checked before anything changes.',
  who: 'user',
  params: {
    stream_id: z.int().optional().describe('The channel to move to.'),
    ...topicParams,
    propagate_mode: z
      .enum(propagateModes)
      .default('change_one')
      .describe('Whether the message moves alone, with those after it, or with its whole topic.'),
    send_notification_to_old_thread: z.boolean().default(false),
    send_notification_to_new_thread: z.boolean().default(true),
    content: z.string().optional().describe('The new text; an empty one leaves "(deleted)".'),
  },
  returns: {
    detached_uploads: z.array(attachmentJson).describe('Your files that no message links to any more.'),
  },
  refuses: [
    unableToRender,
    invalidMessage,
    invalidChannelId,
    confusingArguments,
    messageHoldsNull,
    topicCharacter,
    topicsRequired,
    prepare.nothingToChange,
    prepare.noTopicsInDirectMessages,
    prepare.directMessagesStay,
    prepare.propagateNothing,
    prepare.generalChatStays,
    prepare.contentStays,
    prepare.widgetStays,
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
