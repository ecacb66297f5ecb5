import { z } from 'zod'
import { refusal } from '../../base/refusal.ts'
import { channelNameCharacter, channelNameEmpty, channelNameTooLong } from '../../channels/channel-name.ts'
import { endpoint } from '../../http/endpoint.ts'
import { messageEmpty, messageHoldsNull } from '../content.ts'
import * as directAccess from '../direct-access.ts'
import { isReadByDefault } from '../interactive-client.ts'
import { mayNotMentionChannel, mayNotMentionGroup, mayNotMentionTopic } from '../mentions.ts'
import { type MessageRequest, prepareMessage } from '../prepare-message.ts'
import * as recipients from '../recipients.ts'
import { mayNotPost, noChannelOfId, noChannelOfName, notAuthorizedToSend } from '../send-access.ts'
import { saveMessage } from '../send-message.ts'
import { topicCharacter } from '../topic.ts'
import { topicsRequired } from '../topic-access.ts'
import * as target from './message-target.ts'
import { confusingArguments, readTopicParam, topicParams } from './topic-param.ts'

const missingTopic = refusal('BAD_REQUEST', 400, 'Missing topic')

const params = {
  type: z.enum(['direct', 'channel', 'stream', 'private']).describe('`stream` and `private` are old names.'),
  to: z
    .string()
    .describe(
      "A channel's name or id; or, for direct messages, a JSON list of user ids or of addresses, or addresses joined by commas.",
    ),
  ...topicParams,
  content: z.string().describe('Markdown; cut to 10,000 characters.'),
  read_by_sender: z.boolean().optional().describe('Whether the message counts as read by its sender.'),
  queue_id: z.string().optional().describe("The sender's event queue, which `local_id` is told to."),
  local_id: z.string().optional().describe('Comes back in the event of this message.'),
}

export const sendMessage = endpoint({
  route: 'POST /messages',
  summary: 'Send a message to a channel or to people',
  who: 'user',
  allowsWebhookBots: true,
  params,
  returns: { id: z.int() },
  refuses: [
    missingTopic,
    confusingArguments,
    topicCharacter,
    topicsRequired,
    messageEmpty,
    messageHoldsNull,
    channelNameEmpty,
    channelNameTooLong,
    channelNameCharacter,
    noChannelOfId,
    noChannelOfName,
    notAuthorizedToSend,
    mayNotPost,
    mayNotMentionChannel,
    mayNotMentionTopic,
    mayNotMentionGroup,
    target.badChannelTarget,
    target.oneChannelOnly,
    target.badRecipients,
    target.mixedRecipients,
    recipients.noRecipients,
    recipients.invalidEmail,
    recipients.invalidUserId,
    directAccess.recipientDeactivated,
    directAccess.recipientUnknown,
    directAccess.directMessagesDisabled,
    directAccess.nobodyAuthorizes,
    directAccess.mayNotInitiate,
  ],
  async handle(call, given) {
    const { queue_id: queueId, local_id: localId } = given
    const request: MessageRequest = {
      to: readTarget(given),
      content: given.content,
      client: call.client,
      isReadBySender: given.read_by_sender ?? isReadByDefault(call.client),
      localEcho: queueId === undefined || localId === undefined ? null : { queueId, localId },
    }
    const prepared = await prepareMessage(call.db, call.actor, request, call.clock.now())
    return { id: await call.transaction((tx) => saveMessage(tx, prepared)) }
  },
})

type Given = { type: string; to: string; topic?: string | undefined; subject?: string | undefined }

function readTarget(given: Given): MessageRequest['to'] {
  const topic = readTopicParam(given)
  if (given.type === 'direct' || given.type === 'private') return { people: target.readPeopleTarget(given.to) }
  const channel = target.readChannelTarget(given.to)
  if (topic === undefined) throw missingTopic()
  return { channel, topic }
}
