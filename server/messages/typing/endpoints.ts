import { z } from 'zod'
import { invalidChannelId } from '#channels/access.ts'
import { topicCharacter } from '#channels/topic.ts'
import { endpoint } from '#http/endpoint.ts'
import { missingArgument } from '#http/refusals.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { invalidMessage } from '../access.ts'
import * as directAccess from '../direct-access.ts'
import { editingDisabled, mayNotEdit, tooLateToEdit } from '../editing/edit-access.ts'
import { invalidUserId } from '../sending/direct-recipients.ts'
import { mayNotPost, notAuthorizedToSend } from '../sending/send-access.ts'
import { missingTopic } from '../topic-access.ts'
import * as typing from './emit-typing.ts'

const missingChannelId = refusal('BAD_REQUEST', 400, 'Missing channel ID', { field: 'stream_id' })

const op = z.enum(['start', 'stop']).describe('Send `start` again every few seconds while the user is typing.')

const postTyping = endpoint({
  route: 'POST /typing',
  summary: 'Notify others that you are typing',
  description: 'Users who disabled typing notifications and channels with more than 100 subscribers receive none.',
  who: 'user',
  params: {
    type: z.enum(['direct', 'channel', 'stream']).default('direct').describe('`stream` is the old name of `channel`.'),
    op,
    to: z.array(z.int()).optional().describe('For direct messages: the ids of the recipients.'),
    stream_id: z.int().optional().describe('For channels.'),
    topic: z.string().optional().describe('For channels.'),
  },
  refuses: [
    missingChannelId,
    missingTopic,
    typing.emptyRecipientList,
    typing.directTypingDisabled,
    typing.channelTypingDisabled,
    invalidUserId,
    invalidChannelId,
    notAuthorizedToSend,
    mayNotPost,
    topicCharacter,
    directAccess.recipientNotVisible,
    directAccess.directMessagesDisabled,
    directAccess.noAuthorizedParticipant,
    directAccess.mayNotInitiate,
  ],
  async handle({ transaction, actor }, { type, op, to, stream_id: channelId, topic }) {
    if (type === 'direct') {
      if (to === undefined) throw missingArgument({ name: 'to' })
      await transaction((tx) => typing.emitDirectTyping(tx, actor, op, to))
      return {}
    }
    if (channelId === undefined) throw missingChannelId()
    if (topic === undefined) throw missingTopic()
    await transaction((tx) => typing.emitChannelTyping(tx, actor, op, { channelId, topic }))
    return {}
  },
})

const postMessageTyping = endpoint({
  route: 'POST /messages/{message_id}/typing',
  summary: 'Notify others that you are editing a message',
  who: 'user',
  params: { op },
  refuses: [
    invalidMessage,
    mayNotEdit,
    editingDisabled,
    tooLateToEdit,
    typing.directTypingDisabled,
    typing.channelTypingDisabled,
  ],
  async handle({ transaction, actor }, params) {
    await transaction((tx) => typing.emitEditTyping(tx, actor, params.op, params.message_id))
    return {}
  },
})

export const typingEndpoints = [postTyping, postMessageTyping]
