import { z } from 'zod'
import { invalidChannelId, requireReadableChannel } from '#channels/access.ts'
import { displayTopic, findTopics } from '#channels/topic.ts'
import { viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { hasProtectedHistory, invalidMessage, requireMessage } from './access.ts'
import { messageContainsNull, normalizeContent, renderContent, unableToRender } from './content.ts'
import { removeMessage, removeTopic } from './editing/delete-messages.ts'
import { updateMessage } from './editing/edit-message.ts'
import { getMessageHistory } from './editing/message-history.ts'
import { deleteAttachment, getAttachments, getTemporaryUrl } from './endpoints/attachments.ts'
import { postFlagsInNarrow } from './endpoints/flags-in-narrow.ts'
import { reminderEndpoints } from './endpoints/reminders.ts'
import {
  deleteScheduledMessage,
  getScheduledMessages,
  patchScheduledMessage,
  postScheduledMessage,
} from './endpoints/scheduled-messages.ts'
import { sendMessageEndpoint } from './endpoints/send-message.ts'
import type { RerenderJob } from './jobs.ts'
import { postMarkAllAsRead, postMarkStreamAsRead, postMarkTopicAsRead } from './mark-read.ts'
import { extraEmojiType, messageJson } from './message.ts'
import { deleteReaction, postReaction } from './reactions.ts'
import { getReadReceipts } from './read-receipts.ts'
import { getMessages } from './reading/get-messages.ts'
import { getMatchesNarrow } from './reading/match-narrow.ts'
import type { JointSender } from './send-once.ts'
import { postMessageTyping, postTyping } from './typing.ts'
import { postFlags } from './update-flags.ts'
import { uploadFile } from './upload-file.ts'
import { viewMessage } from './view-messages.ts'
import { postSubmessage } from './widgets.ts'

// All endpoints of messages, and those that are too small for a file of their own: single messages, previews
// of Markdown, and topics.

declare module '#http/endpoint.ts' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: it extends the interface of that file
  interface Services {
    rerenderJob: RerenderJob
    jointSender: JointSender
  }
}

const getMessage = endpoint({
  route: 'GET /messages/{message_id}',
  summary: 'Get a single message',
  description: 'Missing messages and messages that you may not read get the same error.',
  who: 'spectator',
  params: {
    apply_markdown: z.boolean().default(true).describe('Whether `content` is returned as HTML instead of Markdown.'),
    allow_empty_topic_name: z
      .boolean()
      .default(false)
      .describe('Whether the empty topic is returned as "" instead of "general chat".'),
  },
  returns: {
    message: messageJson,
    raw_content: z.string().describe('The Markdown source, regardless of `apply_markdown`.'),
  },
  refuses: [invalidMessage],
  async handle(call, params) {
    const { db, actor, rerenderJob } = call
    const viewer = viewerOf(db, actor, call.clock.now())
    const readable = await requireMessage(viewer, params.message_id)
    rerenderJob.rerenderOutdated([readable.message])
    const format = {
      appliesMarkdown: params.apply_markdown,
      allowsEmptyTopic: params.allow_empty_topic_name,
      computesGravatar: true,
      extraEmojiType: extraEmojiType(call),
    }
    return { preparedJson: await viewMessage(viewer, readable, format) }
  },
})

const renderMessage = endpoint({
  route: 'POST /messages/render',
  summary: 'Render Markdown like the content of a message',
  who: 'user',
  params: { content: z.string() },
  returns: { rendered: z.string() },
  refuses: [messageContainsNull, unableToRender],
  async handle({ db, actor, clock }, params) {
    const content = normalizeContent(params.content)
    return { rendered: (await renderContent(viewerOf(db, actor, clock.now()), content)).html }
  },
})

/**
 * The maximum number of topics in a response. This many fit into it, however long their names are. Users can find older
 * topics through their messages.
 */
const MAX_TOPICS = 25_000

export const listTopics = endpoint({
  route: 'GET /users/me/{stream_id}/topics',
  summary: 'List the topics of a channel',
  description: 'The topics of the messages that you may read, latest message first; at most 25,000.',
  who: 'spectator',
  params: {
    allow_empty_topic_name: z
      .boolean()
      .default(false)
      .describe('Whether the topic without a name is returned as "" rather than "general chat".'),
  },
  returns: {
    topics: z.array(z.strictObject({ name: z.string(), max_id: z.int().describe('The id of the latest message.') })),
  },
  refuses: [invalidChannelId],
  async handle({ db, actor, clock }, params) {
    const viewer = viewerOf(db, actor, clock.now())
    const channel = await requireReadableChannel(viewer, params.stream_id)
    const topics = await findTopics(viewer.largeReads, channel.id, hasProtectedHistory(channel) ? actor.id : null)
    const rows = topics.slice(0, MAX_TOPICS).map(({ name, maxId }) => ({
      name: displayTopic(name, params.allow_empty_topic_name),
      max_id: maxId,
    }))
    return { topics: rows }
  },
})

export const messageEndpoints = [
  getMessages,
  getMatchesNarrow,
  getMessage,
  sendMessageEndpoint,
  updateMessage,
  removeMessage,
  removeTopic,
  getMessageHistory,
  getReadReceipts,
  postReaction,
  deleteReaction,
  postSubmessage,
  postFlags,
  postFlagsInNarrow,
  postMarkAllAsRead,
  postMarkStreamAsRead,
  postMarkTopicAsRead,
  renderMessage,
]

/** The refusals that sending a message can cause, for other modules that send what they are given. */
export const sendingRefusals = sendMessageEndpoint.refuses

export const typingEndpoints = [postTyping, postMessageTyping]

export const scheduledMessageEndpoints = [
  getScheduledMessages,
  postScheduledMessage,
  patchScheduledMessage,
  deleteScheduledMessage,
  ...reminderEndpoints,
]

export const uploadEndpoints = [getAttachments, deleteAttachment, getTemporaryUrl, uploadFile]
