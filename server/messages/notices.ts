import type { Channel } from '../channels/channel.ts'
import type { Realm } from '../realms/realm.ts'
import type { Db } from '../storage/storage.ts'
import { findUsersById } from '../users/queries.ts'
import { requireSystemBot } from '../users/system-bots.ts'
import type { Author } from './author.ts'
import { noMentions } from './mentions.ts'
import type { PreparedMessage, Target } from './prepare-message.ts'
import { renderContent } from './render-content.ts'

/** What the server's own messages name as their client. */
const CLIENT = 'Internal'

/** Markdown that mentions somebody without telling them of it. */
export function silentMention(user: { id: number; fullName: string }): string {
  return `@_**${user.fullName}|${user.id}**`
}

/**
 * A direct message of the notification bot to all of these people together, to be saved by `saveMessages`. May be made
 * inside a transaction from its `tx.db`, too.
 */
export async function prepareNotice(
  db: Db,
  realm: Realm,
  notice: { recipientIds: readonly number[]; content: string },
  now: number,
): Promise<PreparedMessage> {
  const author = await findNotifier(db, realm)
  const recipients = await findUsersById(db, notice.recipientIds)
  return prepare(db, author, { channel: null, people: [author.user, ...recipients] }, notice.content, now)
}

/** As `prepareNotice`, but to a topic. */
export async function prepareThreadNotice(
  db: Db,
  realm: Realm,
  notice: { channel: Channel; topic: string; content: string },
  now: number,
): Promise<PreparedMessage> {
  const { channel, topic, content } = notice
  return prepare(db, await findNotifier(db, realm), { channel, topic }, content, now)
}

async function findNotifier(db: Db, realm: Realm): Promise<Author> {
  return { user: await requireSystemBot(db, 'notification-bot'), realm }
}

async function prepare(db: Db, author: Author, target: Target, content: string, now: number): Promise<PreparedMessage> {
  return {
    author,
    target,
    content,
    rendering: await renderContent(db, author, content, now),
    mentions: noMentions,
    client: CLIENT,
    isReadBySender: true,
    localEcho: null,
  }
}
