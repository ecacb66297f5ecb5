import type { Channel } from '../../channels/channel.ts'
import { findLinkifiers, type RealmLinkifiers } from '../../organizations/realms/linkifier-queries.ts'
import { findRealm } from '../../organizations/realms/queries.ts'
import type { Realm } from '../../organizations/realms/realm.ts'
import { findUser, findUsersById } from '../../people/users/queries.ts'
import { apiEmail, type User } from '../../people/users/user.ts'
import { topicLinks } from '../../platform/markdown/links/topic-links.ts'
import type { Db } from '../../platform/storage/storage.ts'
import type { Conversation } from '../message.ts'
import type { MessageSetting, Participant } from '../reading/message-json.ts'

/** Where a message stands: in a channel, or between people. */
export type Place = { channel: Channel } | { channel: null; conversation: Conversation }

/** A message and where it stands. */
export type PlacedMessage = { message: { senderId: number; topic: string }; place: Place }

/** What messages are shown with, found for all of them at once. */
export type Cast = {
  realm: Realm
  externalUrl: string
  linkifiers: RealmLinkifiers
  users: ReadonlyMap<number, User>
  /** The organizations of the users: the one where they write, and that of the server's own bots. */
  realms: ReadonlyMap<number, Realm>
}

/** As many users as are looked up one by one, so that they are kept. */
const FEW_USERS = 8

/** Who sends or receives the messages: one query at most, however many they are. */
export async function findCast(db: Db, realm: Realm, messages: readonly PlacedMessage[]): Promise<Cast> {
  const ids = new Set<number>()
  for (const { message, place } of messages) {
    ids.add(message.senderId)
    if (place.channel === null) for (const id of place.conversation.participantIds) ids.add(id)
  }
  const users = new Map<number, User>()
  for (const user of ids.size <= FEW_USERS ? await findFewUsers(db, ids) : await findUsersById(db, ids))
    users.set(user.id, user)
  const realms = new Map([[realm.id, realm]])
  for (const { realmId } of users.values())
    if (!realms.has(realmId)) realms.set(realmId, (await findRealm(db, realmId)) ?? realm)
  const linkifiers = await findLinkifiers(db, realm.id)
  return { realm, externalUrl: db.settings.EXTERNAL_URL, linkifiers, users, realms }
}

async function findFewUsers(db: Db, ids: ReadonlySet<number>): Promise<User[]> {
  const users: User[] = []
  for (const id of ids) {
    const user = await findUser(db, id)
    if (user !== null) users.push(user)
  }
  return users
}

/** `messageSetting` for one message; of a channel message that nothing has changed, the same values each time. */
export async function findMessageSetting(
  db: Db,
  realm: Realm,
  message: { senderId: number; topic: string },
  place: Place,
  viewerId: number,
): Promise<MessageSetting> {
  if (place.channel === null)
    return messageSetting(await findCast(db, realm, [{ message, place }]), { message, place }, viewerId)
  const sender = (await findUser(db, message.senderId)) ?? missing(message.senderId)
  const senderRealm = sender.realmId === realm.id ? realm : ((await findRealm(db, sender.realmId)) ?? realm)
  const linkifiers = await findLinkifiers(db, realm.id)
  return inChannel(place.channel, linksOf(linkifiers, message.topic), {
    realm,
    externalUrl: db.settings.EXTERNAL_URL,
    sender,
    senderRealm,
  })
}

/** What is shown with a message to somebody who may know all of it; reactions and submessages are the caller's to add. */
export function messageSetting(cast: Cast, { message, place }: PlacedMessage, viewerId: number): MessageSetting {
  const sender = cast.users.get(message.senderId) ?? missing(message.senderId)
  const { realm, externalUrl } = cast
  const authorship = { realm, externalUrl, sender, senderRealm: realmOf(cast, sender) }
  if (place.channel !== null) return inChannel(place.channel, linksOf(cast.linkifiers, message.topic), authorship)
  const { participantIds, groupRecipientId } = place.conversation
  const users = participantIds.map((id) => cast.users.get(id)).filter((user) => user !== undefined)
  const recipientId = recipientIdFor(viewerId, users, groupRecipientId)
  return { ...authorship, ...UNADORNED, place: toParticipants(cast, users), recipientId, topicLinks: [] }
}

type Authorship = Pick<MessageSetting, 'realm' | 'externalUrl' | 'sender' | 'senderRealm'>

const UNADORNED = { hidesSender: false, reactions: [], submessages: [] }

const inChannel = (channel: Channel, topicLinks: TopicLinks, authorship: Authorship): MessageSetting => ({
  ...authorship,
  ...UNADORNED,
  place: channel,
  recipientId: channel.recipientId,
  topicLinks,
})

function missing(senderId: number): never {
  throw new Error(`The sender ${senderId} is missing`)
}

/** Of one to one conversations the other's own id, for both directions; of notes to oneself one's own. */
function recipientIdFor(viewerId: number, users: readonly User[], groupRecipientId: number | null): number {
  const partner = users.find((user) => user.id !== viewerId) ?? users[0]
  if (groupRecipientId !== null || partner === undefined) return groupRecipientId ?? 0
  return partner.recipientId
}

/** In the order of the wire: two by their addresses, more by their ids. */
function toParticipants(cast: Cast, users: readonly User[]): Participant[] {
  const participants = users.map((user) => ({
    id: user.id,
    email: apiEmail(user, realmOf(cast, user), cast.externalUrl),
    full_name: user.fullName,
    is_mirror_dummy: false,
  }))
  if (participants.length === 2) return participants.sort((one, other) => (one.email < other.email ? -1 : 1))
  return participants.sort((one, other) => one.id - other.id)
}

const realmOf = ({ realm, realms }: Cast, user: User): Realm => realms.get(user.realmId) ?? realm

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
