import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { textOrJson } from '#http/params.ts'
import { missingTopic } from '../access.ts'
import { type MessageRequest, prepareMessage } from '../prepare-message.ts'
import {
  findScheduledMessages,
  scheduledMessageJson,
  tooManyScheduled,
  toScheduledMessageJson,
} from '../scheduled-messages.ts'
import {
  badChannelId,
  badScheduledRecipients,
  cancelScheduledMessage,
  changeScheduledMessage,
  emptyScheduledMessageChange,
  noSuchScheduledMessage,
  notInFuture,
  onlyUserIds,
  prepareChange,
  type RecipientType,
  recipientRequired,
  requireScheduledTarget,
  scheduleMessage,
  topicRequired,
} from '../sending/schedule-message.ts'
import { textQuotaExceeded } from '../text-quota.ts'
import {
  conflictingArguments,
  isReadByDefault,
  messageRefusals,
  readJsonTarget,
  readTopicParam,
  topicParams,
} from './message-target.ts'

const type = z.enum(['direct', 'channel', 'stream', 'private']).describe('`stream` and `private` are old names.')
const to = textOrJson(
  z.string().describe('The id of the channel, or a JSON list of the ids of the recipients.'),
  z.union([z.int(), z.array(z.int())]),
)

/** The maximum is the end of the year 9999, the last date that clients can show. */
export const deliveryTime = z.int().max(253_402_300_799)

const time = deliveryTime.describe('The time at which the message is sent, in UNIX seconds.')

const contentRefusals = [...messageRefusals, badChannelId, badScheduledRecipients, onlyUserIds, conflictingArguments]

export const getScheduledMessages = endpoint({
  route: 'GET /scheduled_messages',
  summary: 'List your scheduled messages',
  description: 'In the order of their times, including messages that could not be sent.',
  who: 'user',
  returns: { scheduled_messages: z.array(scheduledMessageJson) },
  async handle({ db, actor }) {
    const found = await findScheduledMessages(db, actor.id)
    return { scheduled_messages: found.map(toScheduledMessageJson) }
  },
})

export const postScheduledMessage = endpoint({
  route: 'POST /scheduled_messages',
  summary: 'Schedule a message',
  description:
    'Your permission to send it is checked at once, and checked again when it is due. If it cannot be sent within ten minutes of its ' +
    'time, it stays in the list as failed, and a direct message gives the reason.',
  who: 'user',
  params: {
    type,
    to,
    ...topicParams,
    content: z.string().describe('Markdown, truncated to 10,000 characters.'),
    scheduled_delivery_timestamp: time,
    read_by_sender: z.boolean().optional().describe('Whether the message is marked as read for you.'),
  },
  returns: { scheduled_message_id: z.int() },
  refuses: [...contentRefusals, missingTopic, notInFuture, tooManyScheduled, textQuotaExceeded],
  async handle(call, given) {
    const { db, actor, clock, client } = call
    const dueAt = given.scheduled_delivery_timestamp
    if (dueAt <= clock.now()) throw notInFuture()
    const target = requireScheduledTarget(recipientTypeOf(given.type), readJsonTarget(given.to), readTopicParam(given))
    const isReadBySender = given.read_by_sender ?? (isReadByDefault(client) && !isToSelf(target, actor.id))
    const request = { to: target, content: given.content, client, isReadBySender, localEcho: null }
    const prepared = await prepareMessage(db, actor, request, clock.now())
    return { scheduled_message_id: await call.transaction((tx) => scheduleMessage(tx, prepared, dueAt)) }
  },
})

export const patchScheduledMessage = endpoint({
  route: 'PATCH /scheduled_messages/{scheduled_message_id}',
  summary: 'Change a scheduled message',
  description: 'A message that could not be sent is scheduled again and needs a new time.',
  who: 'user',
  params: {
    type: type.optional(),
    to: to.optional(),
    ...topicParams,
    content: z.string().optional(),
    scheduled_delivery_timestamp: time.optional(),
  },
  refuses: [
    ...contentRefusals,
    emptyScheduledMessageChange,
    recipientRequired,
    topicRequired,
    notInFuture,
    noSuchScheduledMessage,
    textQuotaExceeded,
  ],
  async handle({ db, transaction, actor, clock, client }, given) {
    const request = {
      type: given.type === undefined ? undefined : recipientTypeOf(given.type),
      to: given.to === undefined ? undefined : readJsonTarget(given.to),
      topic: readTopicParam(given),
      content: given.content,
      dueAt: given.scheduled_delivery_timestamp,
      client,
    }
    const prepared = await prepareChange(db, actor, given.scheduled_message_id, request, clock.now())
    await transaction((tx) => changeScheduledMessage(tx, prepared))
    return {}
  },
})

export const deleteScheduledMessage = endpoint({
  route: 'DELETE /scheduled_messages/{scheduled_message_id}',
  summary: 'Cancel a scheduled message',
  who: 'user',
  refuses: [noSuchScheduledMessage],
  async handle({ transaction, actor }, { scheduled_message_id }) {
    await transaction((tx) => cancelScheduledMessage(tx, actor, scheduled_message_id))
    return {}
  },
})

function recipientTypeOf(given: z.infer<typeof type>): RecipientType {
  return given === 'direct' || given === 'private' ? 'direct' : 'channel'
}

function isToSelf(target: MessageRequest['to'], ownId: number): boolean {
  return 'people' in target && target.people.every((id) => id === ownId)
}
