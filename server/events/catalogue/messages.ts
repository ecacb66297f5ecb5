import { z } from 'zod'
import { reactionTypes, sharedMessageJson } from '#messages/message.ts'
import { event } from './event.ts'
import { exampleMessage } from './examples.ts'

const messageIds = () => z.array(z.int())

const reactionFields = () => ({
  user_id: z.int(),
  user: z
    .strictObject({ user_id: z.int(), email: z.string(), full_name: z.string(), is_mirror_dummy: z.boolean() })
    .describe('The same user. Deprecated: use `user_id`.'),
  message_id: z.int(),
  emoji_name: z.string(),
  emoji_code: z.string(),
  reaction_type: z.enum([...reactionTypes, 'zulip_extra_emoji']),
})

const exampleReaction = {
  user_id: 10,
  user: { user_id: 10, email: 'ada@example.com', full_name: 'Ada Lovelace', is_mirror_dummy: false },
  message_id: 31,
  emoji_name: 'tada',
  emoji_code: '1f389',
  reaction_type: 'unicode_emoji',
} as const

const flagFields = <Op extends 'add' | 'remove'>(op: Op) => ({
  operation: z.literal(op).describe('The older name of `op`.'),
  flag: z.string(),
  messages: messageIds(),
  all: z.boolean().describe('Whether the change applies to all messages that the user has received.'),
})

const typist = () => z.strictObject({ user_id: z.int(), email: z.string() })

const typingFields = () => ({
  message_type: z.enum(['direct', 'stream']),
  sender: typist(),
  recipients: z.array(typist()).optional().describe('The participants of the direct conversation, with the sender.'),
  stream_id: z.int().optional(),
  topic: z.string().optional(),
})

const exampleTyping = {
  message_type: 'stream',
  sender: { user_id: 10, email: 'ada@example.com' },
  stream_id: 4,
  topic: 'logo',
} as const

const editTypingFields = () => ({
  sender_id: z.int(),
  message_id: z.int(),
  recipient: z.union([
    z.strictObject({ type: z.literal('direct'), user_ids: z.array(z.int()) }),
    z.strictObject({ type: z.literal('channel'), channel_id: z.int(), topic: z.string() }),
  ]),
})

const exampleEditTyping = {
  sender_id: 10,
  message_id: 31,
  recipient: { type: 'channel', channel_id: 4, topic: 'logo' },
} as const

const typingClients = 'Typing in channels is sent to clients with the capability `stream_typing_notifications` only.'

export const messageEvents = {
  message: event({
    description: 'A message was sent.',
    audience: 'The recipients, and queues with `all_public_streams` for messages in public channels.',
    clients: 'The content is HTML for clients with `apply_markdown`, and Markdown for others.',
    fields: () => ({
      message: sharedMessageJson,
      flags: z.array(z.string()),
      local_message_id: z
        .string()
        .optional()
        .describe('The `local_id` of the request. Only the queue that the request named receives it.'),
    }),
    logged: () => ({
      rendered_content: z.string(),
      all_public: z.literal(true).optional().describe('The event is for queues with `all_public_streams` only.'),
      local_queue_id: z.string().optional(),
    }),
    example: { message: exampleMessage, flags: ['mentioned'] },
  }),
  update_message: event({
    description: 'The content of a message was edited, or messages were moved to another topic or channel.',
    audience: 'Users who received one of the messages, and subscribers of the channels who can see them.',
    fields: () => ({
      user_id: z.int().nullable().describe('Null when the server rendered the message again.'),
      edit_timestamp: z.int(),
      message_id: z.int(),
      message_ids: messageIds().describe('All messages that were moved, or the one that was edited; ascending.'),
      rendering_only: z.boolean(),
      flags: z.array(z.string()),
      stream_id: z.int().optional(),
      stream_name: z.string().optional(),
      content: z.string().optional(),
      rendered_content: z.string().optional(),
      orig_content: z.string().optional(),
      orig_rendered_content: z.string().optional(),
      is_me_message: z.boolean().optional(),
      propagate_mode: z.string().optional(),
      orig_subject: z.string().optional().describe('The topic before the move.'),
      subject: z.string().optional().describe('The new topic.'),
      topic_links: z.array(z.strictObject({ text: z.string(), url: z.string() })).optional(),
      new_stream_id: z.int().optional(),
    }),
    example: {
      user_id: 10,
      edit_timestamp: 1893837660,
      message_id: 31,
      message_ids: [31],
      rendering_only: false,
      flags: ['read'],
      stream_id: 4,
      stream_name: 'design',
      orig_content: 'Hello',
      orig_rendered_content: '<p>Hello</p>',
      content: 'Hello, world',
      rendered_content: '<p>Hello, world</p>',
      is_me_message: false,
    },
  }),
  'update_message_flags/add': event({
    description: 'A flag was added to messages of the user.',
    audience: 'The user.',
    fields: () => flagFields('add'),
    example: { operation: 'add', flag: 'starred', messages: [31], all: false },
  }),
  'update_message_flags/remove': event({
    description: 'A flag was removed from messages of the user.',
    audience: 'The user.',
    clients:
      'Messages in archived channels are left out for clients without the capability `archived_channels` when the flag ' +
      'is `read`.',
    fields: () => ({ ...flagFields('remove'), message_details: messageDetails().optional() }),
    logged: () => ({ message_details: messageDetails({ is_archived: z.literal(true).optional() }).optional() }),
    example: {
      operation: 'remove',
      flag: 'read',
      messages: [31],
      all: false,
      message_details: { 31: { type: 'stream', stream_id: 4, topic: 'logo', unmuted_stream_msg: true } },
    },
  }),
  delete_message: event({
    description: 'Messages were deleted. All of them belong to one topic or one direct conversation.',
    audience: 'Users who received the messages and can still read them, subscribers, and the user who deleted them.',
    clients:
      'Clients with the capability `bulk_message_deletion` receive one event with `message_ids`; others receive an event ' +
      'with a `message_id` for each message.',
    fields: () => ({
      message_ids: messageIds().optional(),
      message_id: z.int().optional(),
      message_type: z.enum(['stream', 'private']),
      stream_id: z.int().optional(),
      topic: z.string().optional(),
    }),
    logged: () => ({ message_ids: messageIds(), message_id: z.undefined().optional() }),
    example: { message_ids: [31, 32], message_type: 'stream', stream_id: 4, topic: 'logo' },
  }),
  'reaction/add': event({
    description: 'A user reacted to a message.',
    audience: 'Users who received the message, and subscribers of its channel who can see it.',
    fields: reactionFields,
    example: exampleReaction,
  }),
  'reaction/remove': event({
    description: 'A user removed a reaction from a message.',
    audience: 'Users who received the message, and subscribers of its channel who can see it.',
    fields: reactionFields,
    example: exampleReaction,
  }),
  submessage: event({
    description: 'Data was added to a message that holds a widget such as a poll.',
    audience: 'Users who received the message.',
    fields: () => ({
      msg_type: z.string(),
      message_id: z.int(),
      submessage_id: z.int(),
      sender_id: z.int(),
      content: z.string().describe('JSON.'),
    }),
    example: {
      msg_type: 'widget',
      message_id: 31,
      submessage_id: 6,
      sender_id: 10,
      content: '{"type":"vote","key":"1,1","vote":1}',
    },
  }),
  'typing/start': event({
    description: 'A user started to type, or is still typing.',
    audience: 'The other participants of the direct conversation, or the subscribers of the channel.',
    clients: typingClients,
    fields: typingFields,
    example: exampleTyping,
  }),
  'typing/stop': event({
    description: 'A user stopped typing.',
    audience: 'The other participants of the direct conversation, or the subscribers of the channel.',
    clients: typingClients,
    fields: typingFields,
    example: exampleTyping,
  }),
  'typing_edit_message/start': event({
    description: 'A user started to edit a message, or is still editing it.',
    audience: 'The other participants of the direct conversation, or the subscribers of the channel.',
    fields: editTypingFields,
    example: exampleEditTyping,
  }),
  'typing_edit_message/stop': event({
    description: 'A user stopped editing a message.',
    audience: 'The other participants of the direct conversation, or the subscribers of the channel.',
    fields: editTypingFields,
    example: exampleEditTyping,
  }),
} as const

// biome-ignore lint/complexity/noBannedTypes: the empty object adds no fields
function messageDetails<More extends z.ZodRawShape = {}>(more?: More) {
  const detail = z.strictObject({
    type: z.enum(['stream', 'private']),
    mentioned: z.boolean().optional(),
    user_ids: z.array(z.int()).optional().describe('The other participants of the direct conversation.'),
    stream_id: z.int().optional(),
    topic: z.string().optional(),
    unmuted_stream_msg: z
      .boolean()
      .optional()
      .describe('False if you muted the topic, or the channel without unmuting or following the topic.'),
    ...(more as More),
  })
  return z.record(z.string(), detail).describe('The conversation of each message that is unread again, by message id.')
}
