import { findActiveUsers } from '#channels/audience.ts'
import { findChannel } from '#channels/queries.ts'
import { messageTopicOf, topicKey } from '#channels/topic.ts'
import type { AutomaticPolicy } from '#channels/user-topics.ts'
import { trackUserVisibility } from '#channels/visibility.ts'
import { findNonViewerIds, viewerOf } from '#groups/viewer.ts'
import { RENDERER_VERSION } from '#markdown/render.ts'
import { findUsersById } from '#people/user-queries.ts'
import type { User } from '#people/users.ts'
import type { Realm } from '#realms/realm.ts'
import { type IdSeries, nextMessageIds } from '#storage/counters.ts'
import { insertRows, insertRowsWithIds } from '#storage/sql.ts'
import type { Transaction } from '#storage/storage.ts'
import { actorOf, authorOf, isSystemBot } from './access.ts'
import type { Attachment } from './attachments.ts'
import { FOREIGN_CLIENT } from './content.ts'
import { eventFormat, messageEvent } from './events.ts'
import { toFlagsJson } from './flags.ts'
import { requestLinkPreviews } from './jobs/link-preview-queries.ts'
import {
  type ConversationRef,
  type DirectConversation,
  type Message,
  messageFeaturesOf,
  type Submessage,
  toMessageJson,
} from './message.ts'
import type { PreparedMessage } from './prepare-message.ts'
import { ensureDirectConversation, findDirectConversation } from './queries.ts'
import { followOnMention, followOnSend } from './sending/follow-topics.ts'
import { queueNotifications, queueWebhookCalls } from './sending/queue-notifications.ts'
import {
  deliver,
  findRecipients,
  type Recipients,
  type RecipientsByFlags,
  recipientIdsOf,
} from './sending/recipients.ts'
import { noChannelNamed, requireMayMessage, requireMaySend } from './sending/send-access.ts'
import { claimAttachments, findClaimableAttachments } from './uploads/claims.ts'
import { findSharedMessageContext, type SharedMessageContext, toMessageContext } from './view-messages.ts'
import { widgetContent } from './widgets.ts'

// Sending messages that are prepared: the message, the records and notifications of its recipients, and the events are
// saved in one transaction. Permissions were checked when the message was prepared; those that may have changed since
// are checked again here.

/** The number of recipients of a message that cost one unit of work. */
export const RECIPIENTS_PER_UNIT = 200

type Sent = { message: Message; submessages: Submessage[]; conversation: ConversationRef }

/**
 * A saved message. `newPolicy` is the author's new visibility policy for its topic, or null if the policy did not
 * change.
 */
export type SentMessage = { id: number; newPolicy: AutomaticPolicy | null; recipientCount: number }

/**
 * Emits the message to its recipients. Users with the same flags who see the same recipient id and sender share an
 * event. The sender's event carries the local id that the sender's client chose. Users in `allPublicUserIds` who are
 * not recipients also receive the message.
 */
async function emitMessage(
  tx: Transaction,
  { author, rendering, localEcho }: PreparedMessage,
  sent: Sent,
  recipients: RecipientsByFlags,
  allPublicUserIds: readonly number[],
): Promise<void> {
  const { message, submessages, conversation } = sent
  const { realm, user: sender } = author
  const nonViewerIds = await findNonViewersAmong(tx, author, recipients)
  const sharedContext = await findSharedMessageContext(tx.db, realm, [sent])
  const isOneToOne = conversation.channel === null && conversation.direct.groupRecipientId === null
  const echoTo = localEcho === null ? null : sender.id
  const groupOf = (userId: number) => {
    if (isOneToOne || userId === echoTo) return `user ${userId}`
    return nonViewerIds.has(userId) ? 'unknown sender' : 'known sender'
  }
  const isUniform = !isOneToOne && echoTo === null && nonViewerIds.size === 0
  for (const [flags, userIds] of recipients) {
    for (const audience of isUniform ? [userIds] : Map.groupBy(userIds, groupOf).values()) {
      const userId = audience[0] as number
      const context = toMessageContext(sharedContext, sent, userId)
      context.hidesSender = nonViewerIds.has(userId)
      context.submessages = submessages
      const json = toMessageJson(message, context, eventFormat)
      const event = messageEvent(json, rendering.html, toFlagsJson(flags), userId === echoTo ? localEcho : null)
      tx.emit(realm.id, event, audience)
    }
  }
  emitToAllPublicUsers(tx, sharedContext, sent, rendering.html, recipients, allPublicUserIds)
}

function emitToAllPublicUsers(
  tx: Transaction,
  sharedContext: SharedMessageContext,
  sent: Sent,
  renderedContent: string,
  recipients: RecipientsByFlags,
  allPublicUserIds: readonly number[],
): void {
  if (allPublicUserIds.length === 0) return
  const recipientIds = recipientIdsOf(recipients)
  const ids = allPublicUserIds.filter((id) => !recipientIds.has(id))
  if (ids.length === 0) return
  const context = toMessageContext(sharedContext, sent, ids[0] as number)
  context.submessages = sent.submessages
  const json = toMessageJson(sent.message, context, eventFormat)
  tx.emit(sharedContext.realm.id, { ...messageEvent(json, renderedContent, [], null), all_public: true }, ids)
}

async function findNonViewersAmong(
  tx: Transaction,
  author: PreparedMessage['author'],
  recipients: RecipientsByFlags,
): Promise<ReadonlySet<number>> {
  const { guests } = await findActiveUsers(tx.db, author.realm.id)
  if (guests.length === 0) return new Set()
  const recipientIds = recipientIdsOf(recipients)
  const receivingGuests = guests.filter((guest) => recipientIds.has(guest.id))
  return findNonViewerIds(tx.db, author.realm, author.user, receivingGuests, tx.now)
}

/**
 * Saves the message, delivers it to its recipients and emits its events. Refuses if the message may no longer be sent.
 */
export async function sendMessage(tx: Transaction, prepared: PreparedMessage): Promise<SentMessage> {
  const [sent] = await sendMessages(tx, [prepared])
  return sent as SentMessage
}

/** Like `sendMessage`, for messages in this order. The number of statements hardly depends on the number of messages. */
export async function sendMessages(tx: Transaction, prepared: readonly PreparedMessage[]): Promise<SentMessage[]> {
  const sendable: SendableMessage[] = []
  for (const message of prepared) sendable.push(await requireSendable(tx, message))
  return saveMessages(tx, sendable)
}

/** A message that was checked in the transaction that sends it. */
export type SendableMessage = {
  prepared: PreparedMessage
  conversation: ConversationRef
  attachments: readonly Attachment[]
}

/** Checks again whether the message may be sent. Writes nothing if it refuses. */
export async function requireSendable(tx: Transaction, prepared: PreparedMessage): Promise<SendableMessage> {
  const { author, rendering, onBehalfOf } = prepared
  const conversation = await requireConversation(tx, prepared)
  const owner = onBehalfOf === undefined ? author : authorOf(onBehalfOf)
  return { prepared, conversation, attachments: await findClaimableAttachments(tx, owner, rendering.html) }
}

/** Saves and delivers messages that were checked in this transaction, in this order. */
export async function saveMessages(tx: Transaction, sendable: readonly SendableMessage[]): Promise<SentMessage[]> {
  if (sendable.length === 0) return []
  const newPolicies = await followOnSend(tx, sendable)
  // Transactions that change the recipients also take message ids, or wait for the ids of these messages. Recipients
  // that are read after the ids are taken therefore stay valid.
  const ids = await nextMessageIds(tx, sendable.length)
  const recipients = await findRecipients(tx.db, sendable)
  const messages = await insertMessages(tx, sendable, ids)
  const delivered = await deliver(
    tx,
    messages.map(({ id }, at) => ({
      ...(sendable[at] as SendableMessage).prepared,
      messageId: id,
      recipientIds: (recipients[at] as Recipients).recipientIds,
    })),
  )
  const sent: SentMessage[] = []
  for (const [at, message] of messages.entries()) {
    const { recipientIds, allPublicUserIds } = recipients[at] as Recipients
    const delivery = { recipients: delivered[at] as RecipientsByFlags, allPublicUserIds }
    await finishSending(tx, sendable[at] as SendableMessage, message, delivery)
    sent.push({ id: message.id, newPolicy: newPolicies[at] ?? null, recipientCount: recipientIds.length })
  }
  await queueNotifications(
    tx,
    messages.flatMap((message, at) => {
      const { author, skipsMissedMail } = (sendable[at] as SendableMessage).prepared
      const about = { messageId: message.id, senderId: author.user.id, topicRef: messageTopicOf(message) }
      const recipients = delivered[at] as RecipientsByFlags
      return skipsMissedMail === true ? [] : [{ realm: author.realm, ...about, recipients }]
    }),
  )
  return sent
}

/** Saves everything that belongs to a delivered message, and emits its events. */
async function finishSending(
  tx: Transaction,
  { prepared, conversation, attachments }: SendableMessage,
  message: Message,
  { recipients, allPublicUserIds }: { recipients: RecipientsByFlags; allPublicUserIds: readonly number[] },
): Promise<void> {
  const { author, rendering } = prepared
  const submessages = await attachWidget(tx, message, prepared.widget)
  if (conversation.channel !== null) await followOnMention(tx, author.realm.id, conversation, recipients)
  await emitMessage(tx, prepared, { message, submessages, conversation }, recipients, allPublicUserIds)
  await queueWebhookCalls(tx, prepared, message.id, conversation, recipients)
  const [messageId, senderId] = [message.id, author.user.id]
  await claimAttachments(tx, messageId, attachments)
  if (prepared.client !== FOREIGN_CLIENT) await requestLinkPreviews(tx, { messageId, senderId }, rendering)
}

/**
 * Checks the destination again. Since the message was prepared, the channel may have been archived, or a permission
 * revoked.
 */
async function requireConversation(
  tx: Transaction,
  { author, target, onBehalfOf }: PreparedMessage,
): Promise<ConversationRef> {
  const actor = onBehalfOf ?? actorOf(author)
  const needsPermission = onBehalfOf !== undefined || !isSystemBot(author)
  if (target.channel === null) {
    const ids = target.people.map((user) => user.id)
    if (needsPermission) await requireMayMessage(viewerOf(tx.db, actor, tx.now), await findUsersById(tx.db, ids))
    return { channel: null, direct: await ensureVisibleConversation(tx, author.realm, target.people, ids) }
  }
  const channel = await findChannel(tx.db, author.realm.id, target.channel.id)
  // The name that the channel had when the author could see it.
  const {
    topic,
    channel: { name },
  } = target
  const notFound = () => noChannelNamed({ name })
  if (needsPermission)
    return { channel: await requireMaySend(viewerOf(tx.db, actor, tx.now), channel, notFound), topic }
  if (channel === null) throw notFound()
  return { channel, topic }
}

/**
 * Returns the conversation, and creates it if needed. A new conversation makes its participants visible to the limited
 * guests among them.
 */
async function ensureVisibleConversation(
  tx: Transaction,
  realm: Realm,
  people: readonly User[],
  ids: readonly number[],
): Promise<DirectConversation> {
  const existing = await findDirectConversation(tx.db, realm.id, ids)
  if (existing !== null) return existing
  const emitVisibilityChanges = await trackUserVisibility(tx, realm, people, [])
  const conversation = await ensureDirectConversation(tx, realm.id, ids)
  await emitVisibilityChanges()
  return conversation
}

/** Saves the messages with these ids; if they are undefined, the table allocates them. */
async function insertMessages(
  tx: Transaction,
  sendable: readonly SendableMessage[],
  series: IdSeries | undefined,
): Promise<Message[]> {
  const messages = sendable.map(({ prepared: { author, target, content, rendering, client }, conversation }) => ({
    realmId: author.realm.id,
    senderId: author.user.id,
    channelId: conversation.channel?.id ?? null,
    conversationId: conversation.channel === null ? conversation.direct.id : null,
    topic: target.channel === null ? '' : target.topic,
    content,
    renderedContent: rendering.html,
    renderedVersion: RENDERER_VERSION,
    client,
    sentAt: tx.now,
    editHistory: null,
    lastEditedAt: null,
    lastMovedAt: null,
  }))
  const rows = messages.map((message, at) => ({
    ...message,
    ...(series && { id: series.first + at * series.step }),
    topicKey: topicKey(message.topic),
    holdings: messageFeaturesOf(message.renderedContent, (sendable[at] as SendableMessage).attachments.length > 0),
  }))
  if (series !== undefined) {
    insertRows(tx, 'messages', rows)
    return messages.map((message, at) => ({ ...message, id: series.first + at * series.step }))
  }
  const ids = await insertRowsWithIds(tx, 'messages', rows)
  return messages.map((message, at) => ({ ...message, id: ids[at] as number }))
}

/** Saves the submessage that makes the message a poll, a to-do list or a form. */
async function attachWidget(
  tx: Transaction,
  { id, senderId, content }: Message,
  given: string | null,
): Promise<Submessage[]> {
  const widget = given ?? widgetContent(content)
  if (widget === null) return []
  const submessage = { messageId: id, senderId, msgType: 'widget', content: widget }
  const row = await tx.insertInto('submessages').values(submessage).returning('id').executeTakeFirstOrThrow()
  return [{ ...submessage, id: row.id }]
}
