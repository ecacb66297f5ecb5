import { findChannel } from '../../channels/queries.ts'
import type { AutomaticPolicy } from '../../channels/user-topics/user-topic.ts'
import { trackUserVisibility } from '../../channels/user-visibility.ts'
import type { Realm } from '../../organizations/realms/realm.ts'
import { findUsersById } from '../../people/users/queries.ts'
import type { User } from '../../people/users/user.ts'
import { RENDERER_VERSION } from '../../platform/markdown/render.ts'
import { nextMessageId } from '../../platform/storage/counters.ts'
import { insertRow } from '../../platform/storage/insert-rows.ts'
import type { Transaction } from '../../platform/storage/storage.ts'
import { claimAttachments, findClaimableAttachments } from '../attachments/claim.ts'
import { holdingsOf } from '../content/holdings.ts'
import { widgetContent } from '../content/widgets.ts'
import type { ConversationRef } from '../conversation.ts'
import { requireMayMessage } from '../direct-access.ts'
import type { DirectConversation, Message, Submessage } from '../message.ts'
import { scheduleNotifications } from '../missed/schedule-notifications.ts'
import { topicKey, topicRefOf } from '../topic.ts'
import { actorOf, isSystemBot } from './author.ts'
import { followMentioned, followSent } from './automatic-policies.ts'
import { deliver } from './deliver.ts'
import { ensureDirectConversation, findDirectConversation } from './direct-conversations.ts'
import { emitMessage } from './emit-message.ts'
import type { PreparedMessage } from './prepare-message.ts'
import { queueWebhookCalls } from './queue-webhook-calls.ts'
import { findRecipients } from './recipients.ts'
import { noChannelOfName, requireMaySend } from './send-access.ts'

/** A message that was saved, and what its author wants to see of its topic from now on; null: what they did before. */
export type SentMessage = { id: number; newPolicy: AutomaticPolicy | null; recipientCount: number }

/** Saves the messages in order, as `saveMessage` does each. */
export async function saveMessages(tx: Transaction, prepared: readonly PreparedMessage[]): Promise<number[]> {
  const ids: number[] = []
  for (const message of prepared) ids.push((await saveMessage(tx, message)).id)
  return ids
}

/** Saves the message, hands it to all who receive it and tells them; refused when it may not be sent any more. */
export async function saveMessage(tx: Transaction, prepared: PreparedMessage): Promise<SentMessage> {
  const conversation = await requireConversation(tx, prepared)
  const { author, rendering } = prepared
  const attachments = await findClaimableAttachments(tx, author, rendering.html)
  const channelTopic = conversation.channel === null ? null : conversation
  const newPolicy = channelTopic === null ? null : await followSent(tx, author, channelTopic)
  // Whoever changes who hears of it has ids as well, or waits for ours: what is read behind them holds.
  const [id, { recipientIds, allPublicUserIds }] = await Promise.all([
    nextMessageId(tx),
    findRecipients(tx.db, prepared, conversation),
  ])
  const message = await insertMessage(tx, prepared, conversation, id, attachments.length > 0)
  const submessages = await attachWidget(tx, message, prepared.widget)
  const { mentions, isReadBySender, isNewsTo } = prepared
  const delivery = { messageId: message.id, senderId: author.user.id, isReadBySender, mentions, isNewsTo }
  const recipients = await deliver(tx, recipientIds, delivery)
  if (channelTopic !== null) await followMentioned(tx, author.realm.id, channelTopic, recipients)
  await emitMessage(tx, prepared, { message, submessages, conversation }, recipients, allPublicUserIds)
  await queueWebhookCalls(tx, prepared, message.id, conversation, recipients)
  if (prepared.isUnmailed !== true) {
    const sent = { realm: author.realm, messageId: message.id, senderId: author.user.id, topicRef: topicRefOf(message) }
    await scheduleNotifications(tx, sent, recipients)
  }
  await claimAttachments(tx, message.id, attachments)
  return { id: message.id, newPolicy, recipientCount: recipientIds.length }
}

/** Where it goes, as it stands now: since it was prepared the channel may have been archived, or a right withdrawn. */
async function requireConversation(tx: Transaction, { author, target }: PreparedMessage): Promise<ConversationRef> {
  const actor = actorOf(author)
  if (target.channel === null) {
    const ids = target.people.map((user) => user.id)
    if (!isSystemBot(author)) await requireMayMessage(tx.db, actor, await findUsersById(tx.db, ids), tx.now)
    return { channel: null, direct: await ensureOwnConversation(tx, author.realm, target.people, ids) }
  }
  const channel = await findChannel(tx.db, author.realm.id, target.channel.id)
  // The name that it had when the author could see it.
  const {
    topic,
    channel: { name },
  } = target
  const unknown = () => noChannelOfName({ name })
  if (!isSystemBot(author)) return { channel: await requireMaySend(tx.db, actor, channel, tx.now, unknown), topic }
  if (channel === null) throw unknown()
  return { channel, topic }
}

/** Whoever begins a conversation with limited guests comes into their sight. */
async function ensureOwnConversation(
  tx: Transaction,
  realm: Realm,
  people: readonly User[],
  ids: readonly number[],
): Promise<DirectConversation> {
  const present = await findDirectConversation(tx.db, realm.id, ids)
  if (present !== null) return present
  const tellOfSight = await trackUserVisibility(tx, realm, people, [])
  const conversation = await ensureDirectConversation(tx, realm.id, ids)
  await tellOfSight()
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
    holdings: holdingsOf(message.renderedContent, hasAttachment),
  }
  const inserted = insertRow(tx, 'messages', row)
  return { ...message, id: id ?? Number((await inserted).insertId) }
}

/** What makes the message a poll, a list of tasks or a form. */
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
