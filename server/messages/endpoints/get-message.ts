import { z } from 'zod'
import { viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { invalidMessage, requireMessage } from '../access.ts'
import { messageJson } from '../reading/message-json.ts'
import { viewMessage } from '../reading/view-message.ts'
import { extraEmojiType } from './extra-emoji-type.ts'

export const getMessage = endpoint({
  route: 'GET /messages/{message_id}',
  summary: 'Get a single message',
  description: 'Missing messages and messages that you may not read get the same error.',
  who: 'user',
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
