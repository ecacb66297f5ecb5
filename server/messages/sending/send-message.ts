import { findPeople } from '../../channels/audience-queries.ts'
import { findChannel } from '../../channels/queries.ts'
import { watchSight } from '../../channels/sight.ts'
import { findStrangers } from '../../groups/visible-users.ts'
import { RENDERER_VERSION } from '../../markdown/render.ts'
import type { Realm } from '../../realms/realm.ts'
import { nextMessageId } from '../../storage/counters.ts'
import { insertRows } from '../../storage/insert-rows.ts'
import type { Transaction } from '../../storage/storage.ts'
import type { AutomaticPolicy } from '../../user-topics/user-topic.ts'
import { findUsersById } from '../../users/queries.ts'
import type { User } from '../../users/user.ts'
import { claimAttachments, findClaimable } from '../attachments/claim.ts'
import { holdingsOf } from '../content/holdings.ts'
import { findMessageSetting, type Place } from '../content/message-setting.ts'
import { widgetContent } from '../content/widgets.ts'
import { requireMayMessage } from '../direct-access.ts'
import type { Thread } from '../editing/move.ts'
import { eventForm, messageEvent } from '../events.ts'
import { toFlagsJson } from '../flags/flag.ts'
import type { Conversation, Message, Submessage } from '../message.ts'
import { toMessageJson } from '../reading/message-json.ts'
import { saveWords } from '../search/save-words.ts'
import { topicKey } from '../topic.ts'
import { actorOf, isSystemBot } from './author.ts'
import { followMentioned, followSent } from './automatic-policies.ts'
import { ensureConversation, findConversation } from './conversations.ts'
import { deliverToChannel, deliverToPeople, type Receivers } from './deliver.ts'
import type { PreparedMessage } from './prepare-message.ts'
import { findPublicListenerIds } from './public-listeners.ts'
import { noChannelOfName, requireMaySend } from './send-access.ts'

/** A message that was saved, and what its author wants to see of its topic from now on; null: what they did before. */
export type SentMessage = { id: number; newPolicy: AutomaticPolicy | null }

/** Saves the messages in order, as `saveMessage` does each. */
export async function saveMessages(tx: Transaction, prepared: readonly PreparedMessage[]): Promise<number[]> {
  const ids: number[] = []
  for (const message of prepared) ids.push((await saveMessage(tx, message)).id)
  return ids
}

/** Saves the message, hands it to all who receive it and tells them; refused when it may not be sent any more. */
export async function saveMessage(tx: Transaction, prepared: PreparedMessage): Promise<SentMessage> {
  const place = await requirePlace(tx, prepared)
  const { author, rendering } = prepared
  const attachments = await findClaimable(tx, author, rendering.html)
  const thread = threadOf(prepared, place)
  const newPolicy = thread === null ? null : await followSent(tx, author, thread)
  const message = await insertMessage(tx, prepared, place, attachments.length > 0)
  const submessages = await attachWidget(tx, message)
  const receivers = await deliver(tx, prepared, message, place)
  if (thread !== null) await followMentioned(tx, author.realm.id, thread, receivers)
  await tellReceivers(tx, prepared, { message, submessages, place }, receivers)
  await claimAttachments(tx, message.id, attachments)
  return { id: message.id, newPolicy }
}

function threadOf({ target }: PreparedMessage, { channel }: Place): Thread | null {
  return channel === null || target.channel === null ? null : { channel, topic: target.topic }
}

function deliver(tx: Transaction, prepared: PreparedMessage, { id }: Message, place: Place): Promise<Receivers> {
  const { author, mentions, isReadBySender } = prepared
  const delivery = { messageId: id, senderId: author.user.id, isReadBySender, mentions }
  return place.channel === null
    ? deliverToPeople(tx, receivingIds(prepared), delivery)
    : deliverToChannel(tx, place.channel, delivery)
}

/** Where it goes, as it stands now: since it was prepared the channel may have been archived, or a right withdrawn. */
async function requirePlace(tx: Transaction, { author, target }: PreparedMessage): Promise<Place> {
  const actor = actorOf(author)
  if (target.channel === null) {
    const ids = target.people.map((user) => user.id)
    if (!isSystemBot(author)) await requireMayMessage(tx.db, actor, await findUsersById(tx.db, ids), tx.now)
    return { channel: null, conversation: await ensureOwnConversation(tx, author.realm, target.people, ids) }
  }
  const channel = await findChannel(tx.db, author.realm.id, target.channel.id)
  if (channel === null) throw noChannelOfName({ name: target.channel.name })
  if (!isSystemBot(author)) await requireMaySend(tx.db, actor, channel, tx.now)
  return { channel }
}

/** Whoever begins a conversation with limited guests comes into their sight. */
async function ensureOwnConversation(
  tx: Transaction,
  realm: Realm,
  people: readonly User[],
  ids: readonly number[],
): Promise<Conversation> {
  const present = await findConversation(tx.db, realm.id, ids)
  if (present !== null) return present
  const tellOfSight = await watchSight(tx, realm, people, [])
  const conversation = await ensureConversation(tx, realm.id, ids)
  await tellOfSight()
  return conversation
}

async function insertMessage(
  tx: Transaction,
  prepared: PreparedMessage,
  place: Place,
  hasAttachment: boolean,
): Promise<Message> {
  const { author, target, content, rendering, client } = prepared
  const message = {
    realmId: author.realm.id,
    senderId: author.user.id,
    channelId: place.channel?.id ?? null,
    conversationId: place.channel === null ? place.conversation.id : null,
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
  const id = await nextMessageId(tx)
  const row = {
    ...message,
    ...(id !== undefined && { id }),
    topicKey: topicKey(message.topic),
    holdings: holdingsOf(message.renderedContent, hasAttachment),
  }
  const [inserted] = await insertRows(tx, 'messages', [row], ['id'])
  if (inserted === undefined) throw new Error('The message was not saved')
  const saved = { ...message, id: inserted.id }
  await saveWords(tx, saved)
  return saved
}

/** What makes the message a poll or a list of tasks. */
async function attachWidget(tx: Transaction, { id, senderId, content }: Message): Promise<Submessage[]> {
  const widget = widgetContent(content)
  if (widget === null) return []
  const submessage = { messageId: id, senderId, msgType: 'widget', content: widget }
  const row = await tx.insertInto('submessages').values(submessage).returning('id').executeTakeFirstOrThrow()
  return [{ ...submessage, id: row.id }]
}

/** The server's own bots receive nothing. */
function receivingIds({ author, target }: PreparedMessage): number[] {
  const people = target.channel === null ? target.people : []
  return people.filter((user) => user.realmId === author.realm.id).map((user) => user.id)
}

type Sent = { message: Message; submessages: Submessage[]; place: Place }

/** One event for all who have the same flags and see the same recipient and sender. */
async function tellReceivers(
  tx: Transaction,
  { author, rendering, localEcho }: PreparedMessage,
  sent: Sent,
  receivers: Receivers,
): Promise<void> {
  const { message, submessages, place } = sent
  const { realm, user: sender } = author
  const strangers = await findStrangersAmong(tx, author, receivers)
  const isOneToOne = place.channel === null && place.conversation.groupRecipientId === null
  const kinds = Map.groupBy(receivers, ([userId, flags]) => {
    const viewer = isOneToOne || userId === sender.id ? userId : 0
    return `${flags} ${viewer} ${strangers.has(userId)}`
  })
  for (const hearers of kinds.values()) {
    const [userId, flags] = hearers[0] as [number, number]
    const setting = await findMessageSetting(tx.db, realm, message, place, userId)
    setting.hidesSender = strangers.has(userId)
    setting.submessages = submessages
    const json = toMessageJson(message, setting, eventForm)
    const event = messageEvent(json, rendering.html, toFlagsJson(flags), userId === sender.id ? localEcho : null)
    tx.emit(
      realm.id,
      event,
      hearers.map(([id]) => id),
    )
  }
  if (place.channel?.isPrivate === false) await tellListeners(tx, realm, sent, rendering.html, receivers)
}

/** Tells those who listen to all public channels and did not receive the message. */
async function tellListeners(
  tx: Transaction,
  realm: Realm,
  { message, submessages, place }: Sent,
  renderedContent: string,
  receivers: Receivers,
): Promise<void> {
  const ids = (await findPublicListenerIds(tx.db, realm.id)).filter((id) => !receivers.has(id))
  if (ids.length === 0) return
  const setting = await findMessageSetting(tx.db, realm, message, place, ids[0] as number)
  setting.submessages = submessages
  const json = toMessageJson(message, setting, eventForm)
  tx.emit(realm.id, { ...messageEvent(json, renderedContent, [], null), all_public: true }, ids)
}

async function findStrangersAmong(
  tx: Transaction,
  author: PreparedMessage['author'],
  receivers: Receivers,
): Promise<ReadonlySet<number>> {
  if (isSystemBot(author)) return new Set()
  const { all } = await findPeople(tx.db, author.realm.id)
  const people = all.filter((person) => receivers.has(person.id))
  return findStrangers(tx.db, author.realm, author.user.id, people, tx.now)
}
