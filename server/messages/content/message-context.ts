import type { Channel } from '../../channels/channel.ts'
import { findLinkifiers, type RealmLinkifiers } from '../../organizations/realms/linkifier-queries.ts'
import { findRealm } from '../../organizations/realms/queries.ts'
import type { Realm } from '../../organizations/realms/realm.ts'
import { findUser, findUsersById } from '../../people/users/queries.ts'
import { apiEmail, type User } from '../../people/users/user.ts'
import { topicLinks } from '../../platform/markdown/links/topic-links.ts'
import type { Db } from '../../platform/storage/storage.ts'
import type { ConversationRef } from '../conversation.ts'
import type { MessageContext, Participant } from '../reading/message-json.ts'

export type MessageInConversation = { message: { senderId: number; topic: string }; conversation: ConversationRef }

/** What messages are shown with, found for all of them at once. */
export type SharedMessageContext = {
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
export async function findSharedMessageContext(
  db: Db,
  realm: Realm,
  messages: readonly MessageInConversation[],
): Promise<SharedMessageContext> {
  const ids = new Set<number>()
  for (const { message, conversation } of messages) {
    ids.add(message.senderId)
    if (conversation.channel === null) for (const id of conversation.direct.participantIds) ids.add(id)
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
export async function findMessageContext(
  db: Db,
  realm: Realm,
  message: { senderId: number; topic: string },
  conversation: ConversationRef,
  viewerId: number,
): Promise<MessageContext> {
  if (conversation.channel === null)
    return toMessageContext(
      await findSharedMessageContext(db, realm, [{ message, conversation }]),
      { message, conversation },
      viewerId,
    )
  const sender = (await findUser(db, message.senderId)) ?? missing(message.senderId)
  const senderRealm = sender.realmId === realm.id ? realm : ((await findRealm(db, sender.realmId)) ?? realm)
  const linkifiers = await findLinkifiers(db, realm.id)
  return inChannel(conversation.channel, linksOf(linkifiers, message.topic), {
    realm,
    externalUrl: db.settings.EXTERNAL_URL,
    sender,
    senderRealm,
  })
}

/** What is shown with a message to somebody who may know all of it; reactions and submessages are the caller's to add. */
export function toMessageContext(
  sharedContext: SharedMessageContext,
  { message, conversation }: MessageInConversation,
  viewerId: number,
): MessageContext {
  const sender = sharedContext.users.get(message.senderId) ?? missing(message.senderId)
  const { realm, externalUrl } = sharedContext
  const authorship = { realm, externalUrl, sender, senderRealm: realmOf(sharedContext, sender) }
  if (conversation.channel !== null)
    return inChannel(conversation.channel, linksOf(sharedContext.linkifiers, message.topic), authorship)
  const { participantIds, groupRecipientId } = conversation.direct
  const users = participantIds.map((id) => sharedContext.users.get(id)).filter((user) => user !== undefined)
  const recipientId = recipientIdFor(viewerId, users, groupRecipientId)
  return {
    ...authorship,
    ...UNADORNED,
    channelOrParticipants: toParticipants(sharedContext, users),
    recipientId,
    topicLinks: [],
  }
}

type Authorship = Pick<MessageContext, 'realm' | 'externalUrl' | 'sender' | 'senderRealm'>

const UNADORNED = { hidesSender: false, reactions: [], submessages: [] }

const inChannel = (channel: Channel, topicLinks: TopicLinks, authorship: Authorship): MessageContext => ({
  ...authorship,
  ...UNADORNED,
  channelOrParticipants: channel,
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
function toParticipants(sharedContext: SharedMessageContext, users: readonly User[]): Participant[] {
  const participants = users.map((user) => ({
    id: user.id,
    email: apiEmail(user, realmOf(sharedContext, user), sharedContext.externalUrl),
    full_name: user.fullName,
    is_mirror_dummy: false,
  }))
  if (participants.length === 2) return participants.sort((one, other) => (one.email < other.email ? -1 : 1))
  return participants.sort((one, other) => one.id - other.id)
}

const realmOf = ({ realm, realms }: SharedMessageContext, user: User): Realm => realms.get(user.realmId) ?? realm

type TopicLinks = MessageContext['topicLinks']

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
