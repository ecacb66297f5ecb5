import { z } from 'zod'
import { invalidChannelId } from '#channels/access.ts'
import { findChannelSubscriberIds } from '#channels/audience.ts'
import { findChannel } from '#channels/queries.ts'
import { requireTopic, topicCharacter } from '#channels/topic.ts'
import { findNonViewerIds, viewerOf } from '#groups/viewer.ts'
import { type Call, endpoint } from '#http/endpoint.ts'
import { missingArgument } from '#http/refusals.ts'
import { refusal } from '#lib/errors.ts'
import { findUsersById } from '#people/user-queries.ts'
import { type Actor, apiEmail, type User } from '#people/users.ts'
import type { Db, EmittedOfType } from '#storage/storage.ts'
import { invalidMessage, missingTopic, requireChangeableMessage } from './access.ts'
import { editingDisabled, mayNotEdit, requireMayEditContent, tooLateToEdit } from './editing/edit-access.ts'
import * as directAccess from './sending/send-access.ts'
import {
  invalidUserId,
  mayNotPost,
  notAuthorizedToSend,
  requireDirectRecipients,
  requireMayMessage,
  requireMaySend,
  requireVisibleUsers,
} from './sending/send-access.ts'

// Typing notifications: they are published to the clients of the other participants and never stored. In large channels
// nobody receives them.

type TypingEvent = EmittedOfType<'typing'>
type EditTypingEvent = EmittedOfType<'typing_edit_message'>

/** `start` means that the user started to type, or is still typing. */
type TypingOp = TypingEvent['op']

type Typing = { op: TypingOp; sender: User }

type ServerAddress = { realm: { subdomain: string }; externalUrl: string }

/** Returns a typing event in a direct conversation. `recipients` must include all participants and the sender. */
function directTypingEvent({ op, sender }: Typing, recipients: readonly User[], address: ServerAddress): TypingEvent {
  return {
    type: 'typing',
    op,
    message_type: 'direct',
    sender: toPersonJson(sender, address),
    recipients: recipients.map((user) => toPersonJson(user, address)),
  }
}

function channelTypingEvent(
  { op, sender }: Typing,
  { channelId, topic }: { channelId: number; topic: string },
  address: ServerAddress,
): TypingEvent {
  return {
    type: 'typing',
    op,
    message_type: 'stream',
    sender: toPersonJson(sender, address),
    stream_id: channelId,
    topic,
  }
}

/** The conversation of the message that is being edited. */
type EditRecipient = EditTypingEvent['recipient']

function editTypingEvent(op: TypingOp, senderId: number, messageId: number, recipient: EditRecipient): EditTypingEvent {
  return { type: 'typing_edit_message', op, sender_id: senderId, message_id: messageId, recipient }
}

function toPersonJson(user: User, { realm, externalUrl }: ServerAddress): TypingEvent['sender'] {
  return { user_id: user.id, email: apiEmail(user, realm, externalUrl) }
}

/** The maximum number of subscribers of a channel with typing events. Larger channels would cause too many events. */
const MAX_SUBSCRIBERS = 100

/**
 * Returns the ids of the users who receive the actor's typing events: active users of the organization, other than the
 * actor, who want such events.
 */
function typingAudienceAmong(actor: Actor, users: readonly User[]): number[] {
  return users
    .filter((user) => user.id !== actor.id && user.realmId === actor.realmId && user.deactivatedAt === null)
    .filter((user) => user.settings.receives_typing_notifications)
    .map((user) => user.id)
}

/** Returns the subscribers of the channel who receive the actor's typing events and can see the actor. */
async function findChannelTypingAudience(db: Db, actor: Actor, channelId: number, now: number): Promise<number[]> {
  const subscriberIds = await findChannelSubscriberIds(db, channelId)
  if (subscriberIds.length > MAX_SUBSCRIBERS) return []
  const users = await findUsersById(db, subscriberIds)
  const nonViewerIds = await findNonViewerIds(db, actor.realm, actor, users, now)
  return typingAudienceAmong(
    actor,
    users.filter((user) => !nonViewerIds.has(user.id)),
  )
}

const emptyRecipientList = refusal('BAD_REQUEST', 400, "Empty 'to' list", { field: 'to' })
const directTypingDisabled = refusal('BAD_REQUEST', 400, 'User has disabled typing notifications for direct messages')
const channelTypingDisabled = refusal('BAD_REQUEST', 400, 'User has disabled typing notifications for channel messages')

/**
 * Publishes a typing event of the actor to a direct conversation. Refuses a conversation to which the actor may not send.
 */
async function publishDirectTyping(call: Call, op: TypingOp, userIds: readonly number[]): Promise<void> {
  const { actor, db } = call
  if (userIds.length === 0) throw emptyRecipientList()
  if (!actor.settings.send_private_typing_notifications) throw directTypingDisabled()
  const viewer = viewerOf(db, actor, call.clock.now())
  const recipients = await requireDirectRecipients(viewer, userIds)
  await requireVisibleUsers(viewer, recipients)
  const active = recipients.filter((user) => user.deactivatedAt === null)
  await requireMayMessage(viewer, active)

  const people = recipients.some((user) => user.id === actor.id) ? recipients : [...recipients, actor]
  const event = directTypingEvent({ op, sender: actor }, people, addressOf(call))
  call.publish(actor.realmId, event, typingAudienceAmong(actor, people))
}

/** Publishes a typing event of the actor in a topic to the channel's subscribers. */
async function publishChannelTyping(call: Call, op: TypingOp, to: { channelId: number; topic: string }): Promise<void> {
  const { actor, db } = call
  if (!actor.settings.send_stream_typing_notifications) throw channelTypingDisabled()
  const topic = requireTopic(to.topic)
  const now = call.clock.now()
  const found = await findChannel(db, actor.realmId, to.channelId)
  const channel = await requireMaySend(viewerOf(db, actor, now), found, invalidChannelId)

  const event = channelTypingEvent({ op, sender: actor }, { channelId: channel.id, topic }, addressOf(call))
  call.publish(actor.realmId, event, await findChannelTypingAudience(db, actor, channel.id, now))
}

/** Publishes a typing event of the actor, who is editing a message, to the conversation of that message. */
async function publishEditTyping(call: Call, op: TypingOp, messageId: number): Promise<void> {
  const { actor, db } = call
  const now = call.clock.now()
  const { message, conversation } = await requireChangeableMessage(viewerOf(db, actor, now), messageId)
  requireMayEditContent(actor, message, now)
  if (conversation.channel === null) {
    if (!actor.settings.send_private_typing_notifications) throw directTypingDisabled()
    const userIds = conversation.direct.participantIds
    const event = editTypingEvent(op, actor.id, messageId, { type: 'direct', user_ids: userIds })
    call.publish(actor.realmId, event, typingAudienceAmong(actor, await findUsersById(db, userIds)))
    return
  }
  if (!actor.settings.send_stream_typing_notifications) throw channelTypingDisabled()
  const recipient = { type: 'channel', channel_id: conversation.channel.id, topic: message.topic } as const
  const event = editTypingEvent(op, actor.id, messageId, recipient)
  call.publish(actor.realmId, event, await findChannelTypingAudience(db, actor, conversation.channel.id, now))
}

function addressOf({ actor, settings }: Call) {
  return { realm: actor.realm, externalUrl: settings.EXTERNAL_URL }
}

const missingChannelId = refusal('BAD_REQUEST', 400, 'Missing channel ID', { field: 'stream_id' })

const op = z.enum(['start', 'stop']).describe('Send `start` again every few seconds while the user is typing.')

export const postTyping = endpoint({
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
    emptyRecipientList,
    directTypingDisabled,
    channelTypingDisabled,
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
  async handle(call, { type, op, to, stream_id: channelId, topic }) {
    if (type === 'direct') {
      if (to === undefined) throw missingArgument({ name: 'to' })
      await publishDirectTyping(call, op, to)
      return {}
    }
    if (channelId === undefined) throw missingChannelId()
    if (topic === undefined) throw missingTopic()
    await publishChannelTyping(call, op, { channelId, topic })
    return {}
  },
})

export const postMessageTyping = endpoint({
  route: 'POST /messages/{message_id}/typing',
  summary: 'Notify others that you are editing a message',
  who: 'user',
  params: { op },
  refuses: [invalidMessage, mayNotEdit, editingDisabled, tooLateToEdit, directTypingDisabled, channelTypingDisabled],
  async handle(call, params) {
    await publishEditTyping(call, params.op, params.message_id)
    return {}
  },
})
