import type { Channel } from '../channels/channel.ts'
import { topicLinks } from '../markdown/topic-links.ts'
import { findLinkifiers, type RealmLinkifiers } from '../realms/linkifier-queries.ts'
import { findRealm } from '../realms/queries.ts'
import type { Realm } from '../realms/realm.ts'
import type { Db } from '../storage/storage.ts'
import { findUser, findUsersById } from '../users/queries.ts'
import { apiEmail, type User } from '../users/user.ts'
import type { Conversation } from './message.ts'
import type { MessageSetting, Participant } from './message-json.ts'

/** Where a message stands: in a channel, or between people. */
export type Place = { channel: Channel } | { channel: null; conversation: Conversation }

/** What is shown with a message to somebody who may know all of it; reactions and submessages are the caller's to add. */
export async function findMessageSetting(
  db: Db,
  realm: Realm,
  message: { senderId: number; topic: string },
  place: Place,
  viewerId: number,
): Promise<MessageSetting> {
  const sender = await findUser(db, message.senderId)
  if (sender === null) throw new Error(`The sender ${message.senderId} is missing`)
  const shared = {
    realm,
    externalUrl: db.settings.EXTERNAL_URL,
    sender,
    senderRealm: await realmOf(db, realm, sender),
    hidesSender: false,
    reactions: [],
    submessages: [],
  }
  if (place.channel !== null) {
    const links = linksOf(await findLinkifiers(db, realm.id), message.topic)
    return { ...shared, place: place.channel, recipientId: place.channel.recipientId, topicLinks: links }
  }
  const users = await findUsersById(db, place.conversation.participantIds)
  const recipientId = recipientIdFor(viewerId, users, place.conversation.groupRecipientId)
  return { ...shared, place: await toParticipants(db, realm, users), recipientId, topicLinks: [] }
}

/** Of one to one conversations the other's own id, for both directions; of notes to oneself one's own. */
function recipientIdFor(viewerId: number, users: readonly User[], groupRecipientId: number | null): number {
  const partner = users.find((user) => user.id !== viewerId) ?? users[0]
  if (groupRecipientId !== null || partner === undefined) return groupRecipientId ?? 0
  return partner.recipientId
}

/** In the order of the wire: two by their addresses, more by their ids. */
async function toParticipants(db: Db, realm: Realm, users: readonly User[]): Promise<Participant[]> {
  const participants: Participant[] = []
  for (const user of users) {
    const email = apiEmail(user, await realmOf(db, realm, user), db.settings.EXTERNAL_URL)
    participants.push({ id: user.id, email, full_name: user.fullName, is_mirror_dummy: false })
  }
  if (participants.length === 2) return participants.sort((one, other) => (one.email < other.email ? -1 : 1))
  return participants.sort((one, other) => one.id - other.id)
}

/** The organization of somebody who writes in `realm`: the same, but for the server's own bots. */
async function realmOf(db: Db, realm: Realm, user: User): Promise<Realm> {
  return user.realmId === realm.id ? realm : ((await findRealm(db, user.realmId)) ?? realm)
}

type TopicLinks = MessageSetting['topicLinks']

/** How many topics of an organization keep their links. */
const MAX_KEPT_TOPICS = 5000

const keptLinks = new WeakMap<RealmLinkifiers, Map<string, TopicLinks>>()

/** The links of a topic; the last ones found are kept, until a linkifier changes. */
function linksOf(linkifiers: RealmLinkifiers, topic: string): TopicLinks {
  const kept = keptLinks.get(linkifiers) ?? new Map<string, TopicLinks>()
  const known = kept.get(topic)
  if (known !== undefined) return known
  const links = topicLinks(topic, linkifiers.compiled)
  if (kept.size >= MAX_KEPT_TOPICS) kept.clear()
  kept.set(topic, links)
  keptLinks.set(linkifiers, kept)
  return links
}
