import type { Channel } from '#channels/channel.ts'
import { findChannelsById } from '#channels/queries.ts'
import type { Viewer } from '#groups/viewer.ts'
import { topicLinks } from '#markdown/linkifier.ts'
import { findUser, findUsersById } from '#people/user-queries.ts'
import { type Actor, apiEmail, isVisible, type User } from '#people/users.ts'
import { findLinkifiers, type RealmLinkifiers } from '#realms/linkifiers.ts'
import { findRealm } from '#realms/queries.ts'
import type { Realm } from '#realms/realm.ts'
import type { Db } from '#storage/storage.ts'
import type { ReadableMessage } from './access.ts'
import { withCurrentAddresses } from './content.ts'
import { Flag, toFlagsJson, toFlagsJsonText } from './flags.ts'
import {
  type ConversationRef,
  type Message,
  type MessageContext,
  type MessageFormat,
  type MessageJson,
  type Participant,
  toMessageJson,
  type UserMessage,
} from './message.ts'
import { findReactions, findReactionsByMessage, findSubmessages, findSubmessagesByMessage } from './queries.ts'

// Messages as one viewer sees them. The number of queries does not depend on the number of messages. Senders whom the
// viewer may not see are replaced by placeholders.

type MessageInConversation = { message: { senderId: number; topic: string }; conversation: ConversationRef }

/** The data that is needed to show the messages of a list and that is the same for all of them. */
export type SharedMessageContext = {
  realm: Realm
  externalUrl: string
  linkifiers: RealmLinkifiers
  users: ReadonlyMap<number, User>
  /** The organization of the messages, and the organization of the system bots if one of the users is a system bot. */
  realms: ReadonlyMap<number, Realm>
}

/** Loads the users, organizations and linkifiers for the messages. */
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
  const users = new Map((await findUsersById(db, ids)).map((user) => [user.id, user]))
  const realms = new Map([[realm.id, realm]])
  for (const { realmId } of users.values())
    if (!realms.has(realmId)) realms.set(realmId, (await findRealm(db, realmId)) ?? realm)
  const linkifiers = await findLinkifiers(db, realm.id)
  return { realm, externalUrl: db.settings.EXTERNAL_URL, linkifiers, users, realms }
}

/**
 * Like `toMessageContext`, for one message. It returns identical objects for an unchanged channel message, so that its
 * serialized form can be reused.
 */
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
  const sender = (await findUser(db, message.senderId)) ?? missingSender(message.senderId)
  const senderRealm = sender.realmId === realm.id ? realm : ((await findRealm(db, sender.realmId)) ?? realm)
  const linkifiers = await findLinkifiers(db, realm.id)
  return inChannel(conversation.channel, linksOf(linkifiers, message.topic), {
    realm,
    externalUrl: db.settings.EXTERNAL_URL,
    sender,
    senderRealm,
  })
}

/** Returns the context for a viewer who may see the sender. The caller must add reactions and submessages. */
export function toMessageContext(
  sharedContext: SharedMessageContext,
  { message, conversation }: MessageInConversation,
  viewerId: number,
): MessageContext {
  const sender = sharedContext.users.get(message.senderId) ?? missingSender(message.senderId)
  const { realm, externalUrl } = sharedContext
  const authorship = { realm, externalUrl, sender, senderRealm: realmOf(sharedContext, sender) }
  if (conversation.channel !== null)
    return inChannel(conversation.channel, linksOf(sharedContext.linkifiers, message.topic), authorship)
  const { participantIds, groupRecipientId } = conversation.direct
  const users = participantIds.map((id) => sharedContext.users.get(id)).filter((user) => user !== undefined)
  const recipientId = recipientIdFor(viewerId, users, groupRecipientId)
  return {
    ...authorship,
    ...DEFAULTS,
    channelOrParticipants: toParticipants(sharedContext, users),
    recipientId,
    topicLinks: [],
  }
}

type Authorship = Pick<MessageContext, 'realm' | 'externalUrl' | 'sender' | 'senderRealm'>

const DEFAULTS = { hidesSender: false, isForSpectator: false, reactions: [], submessages: [] }

const inChannel = (channel: Channel, topicLinks: TopicLinks, authorship: Authorship): MessageContext => ({
  ...authorship,
  ...DEFAULTS,
  channelOrParticipants: channel,
  recipientId: channel.recipientId,
  topicLinks,
})

function missingSender(senderId: number): never {
  throw new Error(`The sender ${senderId} is missing`)
}

/**
 * Returns the recipient id of a group conversation. For a one-to-one conversation, returns the recipient id of the
 * other user, and for notes to self that of the viewer.
 */
function recipientIdFor(viewerId: number, users: readonly User[], groupRecipientId: number | null): number {
  const partner = users.find((user) => user.id !== viewerId) ?? users[0]
  if (groupRecipientId !== null || partner === undefined) return groupRecipientId ?? 0
  return partner.recipientId
}

/** Sorts participants as the Zulip API does: two participants by email address, more by id. */
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

/** The maximum number of topics per organization whose links are cached. */
const MAX_CACHED_TOPICS = 5000

const linkCache = new WeakMap<RealmLinkifiers, Map<string, TopicLinks>>()

/** Returns the links in a topic name, cached until a linkifier changes. */
function linksOf(linkifiers: RealmLinkifiers, topic: string): TopicLinks {
  const cache = linkCache.get(linkifiers) ?? new Map<string, TopicLinks>()
  const cached = cache.get(topic)
  if (cached !== undefined) return cached
  const links = topicLinks(topic, linkifiers.compiled)
  if (cache.size >= MAX_CACHED_TOPICS) cache.clear()
  cache.set(topic, links)
  linkCache.set(linkifiers, cache)
  return links
}

type SerializedMessage = {
  /** All fields of the message except its flags, as JSON without the enclosing braces. */
  sharedFields: string
  /** The Markdown source, as JSON. */
  rawContent: string
}

type Result = SerializedMessage & { context: MessageContext; format: MessageFormat }

const lastResults = new WeakMap<Message, Result>()

/**
 * Serializes a message. The last result is reused while the context and the format contain identical objects. This is
 * correct because cached rows are replaced when they change, never mutated.
 */
function serializeMessage(message: Message, context: MessageContext, format: MessageFormat): SerializedMessage {
  const last = lastResults.get(message)
  if (last !== undefined && isSame(last.context, context) && isSame(last.format, format)) return last
  const sharedFields = JSON.stringify(toMessageJson(message, context, format)).slice(1, -1)
  const result = { sharedFields, rawContent: JSON.stringify(message.content), context, format }
  lastResults.set(message, result)
  return result
}

function isSame<Values extends object>(one: Values, other: Values): boolean {
  for (const name in one) if (one[name] !== other[name]) return false
  return true
}

/** Returns the response fields `message` and `raw_content` as JSON, for an actor who may read the message. */
export async function viewMessage(
  viewer: Viewer,
  { message, flags, conversation }: ReadableMessage,
  format: MessageFormat,
): Promise<string> {
  const { db, actor } = viewer
  const context = await findMessageContext(db, actor.realm, message, conversation, actor.id)
  context.reactions = await findReactions(db, message.id)
  context.submessages = await findSubmessages(db, message.id)
  const visibleIds = await viewer.visibleIds()
  showTo(viewer, visibleIds, context)
  const { sharedFields: shared, rawContent } = serializeMessage(withCurrentAddresses(db, message), context, format)
  return `"message":{${shared},"flags":${toFlagsJsonText(viewer.isSpectator ? SPECTATOR_FLAGS : flags)}},"raw_content":${rawContent}`
}

/** Returns the messages as JSON for an actor who may read all of them. The number of queries is constant. */
export async function viewMessages(
  viewer: Viewer,
  messages: readonly UserMessage[],
  format: MessageFormat,
): Promise<MessageJson[]> {
  const { db, actor } = viewer
  const located = await withConversations(db, actor, messages)
  const [sharedContext, reactions, submessages, visibleIds] = await Promise.all([
    findSharedMessageContext(db, actor.realm, located),
    findReactionsByMessage(viewer.largeReads, idsOf(messages.filter((message) => message.hasReactions))),
    findSubmessagesByMessage(viewer.largeReads, idsOf(messages.filter((message) => message.hasSubmessages))),
    viewer.visibleIds(),
  ])
  return located.map(({ message, conversation }) => {
    const context = toMessageContext(sharedContext, { message, conversation }, actor.id)
    context.reactions = reactions.get(message.id) ?? []
    context.submessages = submessages.get(message.id) ?? []
    showTo(viewer, visibleIds, context)
    const flags = viewer.isSpectator ? SPECTATOR_FLAGS : message.flags
    return Object.assign(toMessageJson(message, context, format), { flags: toFlagsJson(flags) })
  })
}

/** The flags of all messages for spectators, who have no records of messages. */
const SPECTATOR_FLAGS = Flag.read

/** Sets how much of the sender the viewer sees. Spectators see the sender, though they may see no users. */
function showTo({ isSpectator }: Viewer, visibleIds: ReadonlySet<number> | null, context: MessageContext): void {
  context.isForSpectator = isSpectator
  context.hidesSender = !isSpectator && !isVisible(visibleIds, context.sender)
}

const idsOf = (messages: readonly UserMessage[]) => messages.map((message) => message.id)

type LocatedMessage = { message: UserMessage; conversation: ConversationRef }

/**
 * Returns the messages with their conversations. Leaves out messages whose channel has been deleted in the meantime.
 */
async function withConversations(db: Db, actor: Actor, messages: readonly UserMessage[]): Promise<LocatedMessage[]> {
  const channelIds = new Set(messages.map((message) => message.channelId).filter((id) => id !== null))
  const channels = new Map(
    (await findChannelsById(db, actor.realmId, [...channelIds])).map((channel) => [channel.id, channel]),
  )
  return messages.flatMap((message): LocatedMessage[] => {
    if (message.directConversation !== null)
      return [{ message, conversation: { channel: null, direct: message.directConversation } }]
    const channel = channels.get(message.channelId ?? 0)
    return channel === undefined ? [] : [{ message, conversation: { channel, topic: message.topic } }]
  })
}
