import { findChannel } from '#channels/queries.ts'
import { messageTopicOf, topicKey } from '#channels/topic.ts'
import { trackUserVisibility } from '#channels/track-user-visibility.ts'
import type { AutomaticPolicy } from '#channels/user-topics/user-topic.ts'
import { viewerOf } from '#groups/viewer.ts'
import { RENDERER_VERSION } from '#markdown/render.ts'
import { findUsersById } from '#people/users/queries.ts'
import type { User } from '#people/users/user.ts'
import type { Realm } from '#realms/realm.ts'
import { nextMessageId } from '#storage/counters.ts'
import { insertRow } from '#storage/insert-rows.ts'
import type { Transaction } from '#storage/storage.ts'
import { claimAttachments, findClaimableAttachments } from '../attachments/claim.ts'
import { messageFeaturesOf } from '../content/message-features.ts'
import type { ConversationRef } from '../conversation.ts'
import { requireMayMessage } from '../direct-access.ts'
import { requestLinkPreviews } from '../link-previews/queries.ts'
import type { DirectConversation, Message, Submessage } from '../message.ts'
import { scheduleNotifications } from '../notices/schedule-notifications.ts'
import { widgetContent } from '../widgets/widget-commands.ts'
import { actorOf, isSystemBot } from './author.ts'
import { deliver } from './deliver.ts'
import { ensureDirectConversation, findDirectConversation } from './direct-conversations.ts'
import { emitMessage } from './emit-message.ts'
import { followOnMention, followOnSend } from './follow-topics.ts'
import type { PreparedMessage } from './prepare-message.ts'
import { queueWebhookCalls } from './queue-webhook-calls.ts'
import { findRecipients } from './recipients.ts'
import { noChannelNamed, requireMaySend } from './send-access.ts'

/**
 * A saved message. `newPolicy` is the author's new visibility policy for its topic, or null if the policy did not
 * change.
 */
export type SentMessage = { id: number; newPolicy: AutomaticPolicy | null; recipientCount: number }

/** Saves the messages in order. */
export async function saveMessages(tx: Transaction, prepared: readonly PreparedMessage[]): Promise<number[]> {
  const ids: number[] = []
  for (const message of prepared) ids.push((await saveMessage(tx, message)).id)
  return ids
}

/**
 * Saves the message, delivers it to its recipients and emits its events. Refuses if the message may no longer be sent.
 */
export async function saveMessage(tx: Transaction, prepared: PreparedMessage): Promise<SentMessage> {
  const conversation = await requireConversation(tx, prepared)
  const { author, rendering } = prepared
  const attachments = await findClaimableAttachments(tx, author, rendering.html)
  const channelTopic = conversation.channel === null ? null : conversation
  const newPolicy = channelTopic === null ? null : await followOnSend(tx, author, channelTopic)
  // Transactions that change the recipients also take message ids, or wait for the id of this message. Recipients that
  // are read after the id is taken therefore stay valid.
  const [id, { recipientIds, allPublicUserIds }] = await Promise.all([
    nextMessageId(tx),
    findRecipients(tx.db, prepared, conversation),
  ])
  const message = await insertMessage(tx, prepared, conversation, id, attachments.length > 0)
  const submessages = await attachWidget(tx, message, prepared.widget)
  const { mentions, isReadBySender, isUnreadFor } = prepared
  const delivery = { messageId: message.id, senderId: author.user.id, isReadBySender, mentions, isUnreadFor }
  const recipients = await deliver(tx, recipientIds, delivery)
  if (channelTopic !== null) await followOnMention(tx, author.realm.id, channelTopic, recipients)
  await emitMessage(tx, prepared, { message, submessages, conversation }, recipients, allPublicUserIds)
  await queueWebhookCalls(tx, prepared, message.id, conversation, recipients)
  if (prepared.skipsMissedMail !== true) {
    const sent = {
      realm: author.realm,
      messageId: message.id,
      senderId: author.user.id,
      topicRef: messageTopicOf(message),
    }
    await scheduleNotifications(tx, sent, recipients)
  }
  await claimAttachments(tx, message.id, attachments)
  await requestLinkPreviews(tx, { messageId: message.id, senderId: author.user.id }, rendering)
  return { id: message.id, newPolicy, recipientCount: recipientIds.length }
}

/**
 * Checks the destination again. Since the message was prepared, the channel may have been archived, or a permission
 * revoked.
 */
async function requireConversation(tx: Transaction, { author, target }: PreparedMessage): Promise<ConversationRef> {
  const actor = actorOf(author)
  if (target.channel === null) {
    const ids = target.people.map((user) => user.id)
    if (!isSystemBot(author)) await requireMayMessage(viewerOf(tx.db, actor, tx.now), await findUsersById(tx.db, ids))
    return { channel: null, direct: await ensureVisibleConversation(tx, author.realm, target.people, ids) }
  }
  const channel = await findChannel(tx.db, author.realm.id, target.channel.id)
  // The name that the channel had when the author could see it.
  const {
    topic,
    channel: { name },
  } = target
  const notFound = () => noChannelNamed({ name })
  if (!isSystemBot(author))
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

async function insertMessage(
  tx: Transaction,
  prepared: PreparedMessage,
  conversation: ConversationRef,
  id: number | undefined,
  hasAttachment: boolean,
): Promise<Message> {
  const { author, target, content, rendering, client } = prepared
  const message = {
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
  }
  const row = {
    ...message,
    ...(id !== undefined && { id }),
    topicKey: topicKey(message.topic),
    holdings: messageFeaturesOf(message.renderedContent, hasAttachment),
  }
  const inserted = insertRow(tx, 'messages', row)
  return { ...message, id: id ?? Number((await inserted).insertId) }
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
