import type { Channel } from '#channels/channel.ts'
import { type Viewer, viewerOf } from '#groups/viewer.ts'
import { requireSystemBot, type SystemBotName } from '#people/users/bots/system-bots.ts'
import { findUsersById } from '#people/users/queries.ts'
import type { User } from '#people/users/user.ts'
import { findRealm } from '#realms/queries.ts'
import type { Realm } from '#realms/realm.ts'
import type { Db } from '#storage/storage.ts'
import { normalizeContent } from '../content/content.ts'
import { findNoticeMentions } from '../content/mentions.ts'
import { renderNotice } from '../content/render-content.ts'
import { type Author, actorOf } from './author.ts'
import type { PreparedMessage, Target } from './prepare-message.ts'

/** The client name of messages that the server sends. */
const CLIENT = 'Internal'

/** Returns Markdown that mentions a user without notifying them. */
export function silentMention(user: { id: number; fullName: string }): string {
  return `@_**${user.fullName}|${user.id}**`
}

/**
 * Prepares one direct message from the notification bot or another system bot to all of these users together. The users
 * must belong to one organization. The caller must save the message. In a transaction, pass its `tx.db`.
 */
export async function prepareNotice(db: Db, notice: Notice): Promise<PreparedMessage> {
  const { author, recipients } = await findAuthorAndRecipients(db, notice)
  return prepare(db, author, { channel: null, people: [author.user, ...recipients] }, notice.content)
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
  return {
    author,
    target,
    content,
    rendering: await renderNotice(viewer, content),
    mentions: await findNoticeMentions(db, author.realm.id, content),
    client: CLIENT,
    isReadBySender: true,
    localEcho: null,
    widget: null,
  }
}
