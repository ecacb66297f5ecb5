import { z } from 'zod'
import { endpoint } from '../../http/endpoint.ts'
import { invalidMessage, requireMessage } from '../access.ts'
import { messageJson } from '../reading/message-json.ts'
import { viewMessage } from '../reading/view-message.ts'
import { extraEmojiType } from './extra-emoji-type.ts'

export const getMessage = endpoint({
  route: 'GET /messages/{message_id}',
  summary: 'Fetch a single message',
  description: 'A message that does not exist and one that may not be read are answered alike.',
  who: 'user',
  params: {
    apply_markdown: z.boolean().default(true).describe('Whether `content` is HTML rather than Markdown.'),
    allow_empty_topic_name: z
      .boolean()
      .default(false)
      .describe('Whether the topic without a name is "" rather than "general chat".'),
  },
  returns: { message: messageJson, raw_content: z.string().describe('The Markdown, whatever `apply_markdown` says.') },
  refuses: [invalidMessage],
  async handle(call, params) {
    const { db, actor, rerenderer } = call
    const now = call.clock.now()
    const readable = await requireMessage(db, actor, params.message_id, now)
    rerenderer.noteRead([readable.message])
    const format = {
      appliesMarkdown: params.apply_markdown,
      allowsEmptyTopic: params.allow_empty_topic_name,
      computesGravatar: true,
      extraEmojiType: extraEmojiType(call),
    }
    return { preparedJson: await viewMessage(db, actor, readable, format, now) }
  },
})
