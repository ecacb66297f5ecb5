import { z } from 'zod'
import { channelNameCharacter, channelNameEmpty, channelNameTooLong } from '#channels/channel.ts'
import { endpoint } from '#http/endpoint.ts'
import { textOrJson } from '#http/params.ts'
import { missingTopic } from '../access.ts'
import { type MessageRequest, prepareMessage } from '../prepare-message.ts'
import { RECIPIENTS_PER_UNIT } from '../send-message.ts'
import { findSentMessage } from '../send-once.ts'
import * as recipients from '../sending/send-access.ts'
import { readWidgetParam, widgetParam, widgetTooLong } from '../widgets.ts'
import * as target from './message-target.ts'
import {
  conflictingArguments,
  isReadByDefault,
  messageRefusals,
  readTopicParam,
  topicParams,
} from './message-target.ts'

/** The maximum length, in characters, of each id by which a client recognizes its own message. */
const MAX_ECHO_LENGTH = 256

const params = {
  type: z.enum(['direct', 'channel', 'stream', 'private']).describe('`stream` and `private` are deprecated names.'),
  to: textOrJson(
    z
      .string()
      .describe(
        "A channel's name or id; for direct messages, a JSON list of user ids or email addresses, or comma-separated addresses.",
      ),
    z.union([z.int(), z.array(z.int()), z.array(z.string())]),
  ).optional(),
  ...topicParams,
  content: z.string().describe('Markdown, truncated to 10,000 characters.'),
  read_by_sender: z.boolean().optional().describe('Whether the message is marked as read for its sender.'),
  queue_id: z.string().max(MAX_ECHO_LENGTH).optional().describe("The sender's event queue, which gets `local_id`."),
  local_id: z
    .string()
    .max(MAX_ECHO_LENGTH)
    .optional()
    .describe(
      'Returned in the event for this message. If it is a UUID, the server remembers it for two weeks: a repeated request of ' +
        'the same user sends nothing, and returns the id of the first message.',
    ),
  widget_content: widgetParam,
}

export const sendMessageEndpoint = endpoint({
  route: 'POST /messages',
  summary: 'Send a message to a channel or to users',
  who: 'user',
  allowsWebhookBots: true,
  params,
  returns: {
    id: z.int(),
    automatic_new_visibility_policy: z
      .union([z.literal(2), z.literal(3)])
      .optional()
      .describe(
        'Your new visibility policy for the topic: 2 unmuted, 3 followed. Only returned if the message changed it.',
      ),
  },
  refuses: [
    missingTopic,
    conflictingArguments,
    ...messageRefusals,
    channelNameEmpty,
    channelNameTooLong,
    channelNameCharacter,
    target.missingChannel,
    target.badChannelTarget,
    target.oneChannelOnly,
    target.badRecipients,
    target.mixedRecipients,
    recipients.invalidEmail,
    widgetTooLong,
  ],
  async handle(call, given) {
    const { queue_id: queueId, local_id: localId } = given
    const sentId = localId === undefined ? null : await findSentMessage(call.db, call.actor.id, localId)
    if (sentId !== null) return { id: sentId }
    const request: MessageRequest = {
      to: readTarget(given),
      content: given.content,
      client: call.client,
      isReadBySender: given.read_by_sender ?? isReadByDefault(call.client),
      localEcho: queueId === undefined || localId === undefined ? null : { queueId, localId },
      widget: readWidgetParam(given.widget_content),
    }
    const prepared = await prepareMessage(call.db, call.actor, request, call.clock.now())
    const { id, newPolicy, recipientCount } = await call.jointSender.send(prepared, localId)
    call.charge(recipientCount / RECIPIENTS_PER_UNIT)
    return newPolicy === null ? { id } : { id, automatic_new_visibility_policy: newPolicy }
  },
})

type Given = { type: string; to?: string | undefined; topic?: string | undefined; subject?: string | undefined }

function readTarget(given: Given): MessageRequest['to'] {
  const topic = readTopicParam(given)
  if (given.type === 'direct' || given.type === 'private') return { people: target.readPeopleTarget(given.to ?? '[]') }
  if (given.to === undefined) throw target.missingChannel()
  const channel = target.readChannelTarget(given.to)
  if (topic === undefined) throw missingTopic()
  return { channel, topic }
}
