import type { Channel } from '#channels/channel.ts'
import { type Viewer, viewerOf } from '#groups/viewer.ts'
import type { Rendering } from '#markdown/scope.ts'
import { requireSystemBot, type SystemBotName } from '#people/bots.ts'
import { findUsersById } from '#people/user-queries.ts'
import type { Actor, User } from '#people/users.ts'
import { findRealm } from '#realms/queries.ts'
import type { Realm } from '#realms/realm.ts'
import type { Db } from '#storage/storage.ts'
import { type Author, actorOf, authorOf, requireAllowedTopic } from './access.ts'
import { normalizeContent, renderContent, renderNotice, requireContent } from './content.ts'
import { findNoticeMentions, type Mentions, requireMentions } from './mentions.ts'
import { requireDirectRecipients, requireMayMessage, requireSendableChannel } from './sending/send-access.ts'

// Messages that are checked and rendered, ready to be saved: of users, and notices of the server. Preparing takes as
// long as rendering and happens before the transaction, so that saving needs only the database.

/** The destination of a message: a channel topic, or users including the author. */
type Target = { channel: Channel; topic: string } | { channel: null; people: readonly User[] }

/** The ids by which the sender's client recognizes its own message in its event queue. */
export type LocalEcho = { queueId: string; localId: string }

/** A message that has been checked and rendered, ready to be saved. */
export type PreparedMessage = {
  author: Author
  target: Target
  content: string
  rendering: Rendering
  mentions: Mentions
  client: string
  isReadBySender: boolean
  localEcho: LocalEcho | null
  /** Returns true for recipients who receive the message as unread. Without it, all of them do. */
  isUnreadFor?: (userId: number) => boolean
  /**
   * The user whose permissions count and who owns the linked files, if a system bot is the author in their stead.
   * Without it, system bots need no permissions.
   */
  onBehalfOf?: Actor
  /**
   * True for notices about joining a channel or being removed from it. They never cause emails about missed messages.
   */
  skipsMissedMail?: boolean
  /** The content of the submessage that makes the message a widget; null if the text decides. */
  widget: string | null
}

export type MessageRequest = {
  to: { channel: number | string; topic: string } | { people: number[] | string[] }
  content: string
  client: string
  isReadBySender: boolean
  localEcho: LocalEcho | null
  widget?: string | null
  /**
   * True if the server sends the message later, while no client waits. If the author then exceeds the rendering limit,
   * rendering waits instead of being refused.
   */
  isDeferred?: boolean
}

/** Checks the whole request and renders the content, so that saving only needs the database. */
export async function prepareMessage(
  db: Db,
  actor: Actor,
  request: MessageRequest,
  now: number,
): Promise<PreparedMessage> {
  const viewer = viewerOf(db, actor, now)
  const author = authorOf(actor)
  const { to, client, isReadBySender, localEcho, widget = null, isDeferred = false } = request
  const content = requireContent(request.content)
  const target = 'people' in to ? await requireDirectTarget(viewer, to.people) : await requireTopicTarget(viewer, to)
  const rendering = await renderContent(viewer, content, { isLimited: !isDeferred, client })
  const mentions = await requireMentions(viewer, { content, rendering }, target.channel === null ? null : target)
  return { author, target, content, rendering, mentions, client, isReadBySender, localEcho, widget }
}

async function requireTopicTarget(viewer: Viewer, to: { channel: number | string; topic: string }): Promise<Target> {
  const { actor } = viewer
  const topic = requireAllowedTopic(actor.realm, to.topic)
  return { channel: await requireSendableChannel(viewer, to.channel), topic }
}

async function requireDirectTarget(viewer: Viewer, target: number[] | string[]): Promise<Target> {
  const { actor } = viewer
  const people = await requireDirectRecipients(viewer, target)
  await requireMayMessage(viewer, people)
  const others = people.filter((user) => user.id !== actor.id)
  return { channel: null, people: [actor, ...others] }
}

/** The client name of messages that the server sends. */
const CLIENT = 'Internal'

/**
 * Prepares one direct message from the notification bot or another system bot to all of these users together. The users
 * must belong to one organization. The caller must save the message. In a transaction, pass its `tx.db`.
 */
export async function prepareNotice(db: Db, notice: Notice): Promise<PreparedMessage> {
  const { author, recipients } = await findAuthorAndRecipients(db, notice)
  return prepare(db, author, { channel: null, people: [author.user, ...recipients] }, notice.content)
}

/**
 * Prepares a direct message from the notification bot to the actor of the viewer that quotes other messages. It is
 * rendered for that actor: references that they may not see stay plain text. Refuses content that takes too much work.
 */
export async function prepareQuotation(viewer: Viewer, text: string): Promise<PreparedMessage> {
  const { db, actor } = viewer
  const author = await findNotifier(db, actor.realm)
  const content = normalizeContent(text)
  const rendering = await renderContent(viewer, content, { isLimited: false })
  const mentions = await findNoticeMentions(db, actor.realm.id, content)
  return toNotice(author, { channel: null, people: [author.user, actor] }, content, rendering, mentions)
}

/** Like `prepareNotice`, but with a separate message to each user. The content is rendered only once. */
export async function prepareNotices(db: Db, notice: Notice): Promise<PreparedMessage[]> {
  const { author, recipients } = await findAuthorAndRecipients(db, notice)
  const prepared = await prepare(db, author, { channel: null, people: [author.user] }, notice.content)
  return recipients.map((one) => ({ ...prepared, target: { channel: null, people: [author.user, one] } }))
}

type Notice = { recipientIds: readonly number[]; content: string; bot?: SystemBotName }

async function findAuthorAndRecipients(
  db: Db,
  { recipientIds, bot }: Notice,
): Promise<{ author: Author; recipients: User[] }> {
  const recipients = await findUsersById(db, recipientIds)
  const realm = await findRealm(db, recipients[0]?.realmId ?? 0)
  if (realm === null) throw new Error('A notice needs at least one recipient')
  return { author: await findNotifier(db, realm, bot), recipients }
}

/**
 * Like `prepareNotice`, for a notice in a topic. If `visibleTo` is given, references that this user may not see stay
 * plain text.
 */
export async function prepareTopicNotice(
  db: Db,
  realm: Realm,
  notice: { channel: Channel; topic: string; content: string; visibleTo?: Viewer },
): Promise<PreparedMessage> {
  const { channel, topic, content, visibleTo } = notice
  return prepare(db, await findNotifier(db, realm), { channel, topic }, content, visibleTo)
}

async function findNotifier(db: Db, realm: Realm, bot: SystemBotName = 'notification-bot'): Promise<Author> {
  return { user: await requireSystemBot(db, bot), realm }
}

async function prepare(
  db: Db,
  author: Author,
  target: Target,
  text: string,
  visibleTo?: Viewer,
): Promise<PreparedMessage> {
  const content = normalizeContent(text)
  // The time only matters to permission checks, which system bots do not need.
  const viewer = visibleTo ?? viewerOf(db, actorOf(author), 0)
  const rendering = await renderNotice(viewer, content)
  return toNotice(author, target, content, rendering, await findNoticeMentions(db, author.realm.id, content))
}

const toNotice = (
  author: Author,
  target: Target,
  content: string,
  rendering: Rendering,
  mentions: Mentions,
): PreparedMessage => ({
  author,
  target,
  content,
  rendering,
  mentions,
  client: CLIENT,
  isReadBySender: true,
  localEcho: null,
  widget: null,
})
