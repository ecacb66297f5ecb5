import { findPeople } from '../channels/audience-queries.ts'
import { findChannel } from '../channels/queries.ts'
import { findStrangers } from '../groups/visible-users.ts'
import { RENDERER_VERSION } from '../markdown/render.ts'
import type { Realm } from '../realms/realm.ts'
import { nextMessageId } from '../storage/counters.ts'
import type { Transaction } from '../storage/storage.ts'
import { findUsersById } from '../users/queries.ts'
import { actorOf, isSystemBot } from './author.ts'
import { ensureConversation } from './conversations.ts'
import { deliverToChannel, deliverToPeople, type Receivers } from './deliver.ts'
import { requireMayMessage } from './direct-access.ts'
import { eventForm, messageEvent } from './events.ts'
import { toFlagsJson } from './flag.ts'
import { holdingsOf } from './holdings.ts'
import type { Message } from './message.ts'
import { toMessageJson } from './message-json.ts'
import { findMessageSetting, type Place } from './message-setting.ts'
import type { PreparedMessage } from './prepare-message.ts'
import { findPublicListenerIds } from './public-listeners.ts'
import { saveWords } from './search/save-words.ts'
import { noChannelOfName, requireMaySend } from './send-access.ts'
import { topicKey } from './topic.ts'

/** Saves the messages in order, as `saveMessage` does each. */
export async function saveMessages(tx: Transaction, prepared: readonly PreparedMessage[]): Promise<number[]> {
  const ids: number[] = []
  for (const message of prepared) ids.push(await saveMessage(tx, message))
  return ids
}

/** Saves the message, hands it to all who receive it and tells them; refused when it may not be sent any more. */
export async function saveMessage(tx: Transaction, prepared: PreparedMessage): Promise<number> {
  const place = await requirePlace(tx, prepared)
  const message = await insertMessage(tx, prepared, place)
  const { author, mentions, isReadBySender } = prepared
  const delivery = { messageId: message.id, senderId: author.user.id, isReadBySender, mentions }
  const receivers =
    place.channel !== null
      ? await deliverToChannel(tx, place.channel, delivery)
      : await deliverToPeople(tx, receivingIds(prepared), delivery)
  await tellReceivers(tx, prepared, message, place, receivers)
  return message.id
}

/** Where it goes, as it stands now: since it was prepared the channel may have been archived, or a right withdrawn. */
async function requirePlace(tx: Transaction, { author, target }: PreparedMessage): Promise<Place> {
  const actor = actorOf(author)
  if (target.channel === null) {
    const ids = target.people.map((user) => user.id)
    if (!isSystemBot(author)) await requireMayMessage(tx.db, actor, await findUsersById(tx.db, ids), tx.now)
    return { channel: null, conversation: await ensureConversation(tx, author.realm.id, ids) }
  }
  const channel = await findChannel(tx.db, author.realm.id, target.channel.id)
  if (channel === null) throw noChannelOfName({ name: target.channel.name })
  if (!isSystemBot(author)) await requireMaySend(tx.db, actor, channel, tx.now)
  return { channel }
}

async function insertMessage(tx: Transaction, prepared: PreparedMessage, place: Place): Promise<Message> {
  const { author, target, content, rendering, client } = prepared
  const message = {
    realmId: author.realm.id,
    senderId: author.user.id,
    channelId: place.channel?.id ?? null,
    conversationId: place.channel === null ? place.conversation.id : null,
    topic: target.channel === null ? '' : target.topic,
    content,
    renderedContent: rendering.html,
    client,
    sentAt: tx.now,
    editHistory: null,
    lastEditedAt: null,
    lastMovedAt: null,
  }
  const id = await nextMessageId(tx)
  const row = await tx
    .insertInto('messages')
    .values({
      ...message,
      ...(id !== undefined && { id }),
      topicKey: topicKey(message.topic),
      renderedVersion: RENDERER_VERSION,
      holdings: holdingsOf(message.renderedContent),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await saveWords(tx, { ...message, id: row.id })
  return { ...message, id: row.id }
}

/** The server's own bots receive nothing. */
function receivingIds({ author, target }: PreparedMessage): number[] {
  const people = target.channel === null ? target.people : []
  return people.filter((user) => user.realmId === author.realm.id).map((user) => user.id)
}

/** One event for all who have the same flags and see the same recipient and sender. */
async function tellReceivers(
  tx: Transaction,
  { author, rendering, localEcho }: PreparedMessage,
  message: Message,
  place: Place,
  receivers: Receivers,
): Promise<void> {
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
    const json = toMessageJson(message, setting, eventForm)
    const event = messageEvent(json, rendering.html, toFlagsJson(flags), userId === sender.id ? localEcho : null)
    tx.emit(
      realm.id,
      event,
      hearers.map(([id]) => id),
    )
  }
  if (place.channel?.isPrivate === false) await tellListeners(tx, realm, message, place, rendering.html, receivers)
}

/** Tells those who listen to all public channels and did not receive the message. */
async function tellListeners(
  tx: Transaction,
  realm: Realm,
  message: Message,
  place: Place,
  renderedContent: string,
  receivers: Receivers,
): Promise<void> {
  const ids = (await findPublicListenerIds(tx.db, realm.id)).filter((id) => !receivers.has(id))
  if (ids.length === 0) return
  const json = toMessageJson(
    message,
    await findMessageSetting(tx.db, realm, message, place, ids[0] as number),
    eventForm,
  )
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
