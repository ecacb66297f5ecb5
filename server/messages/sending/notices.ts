import type { Channel } from '../../channels/channel.ts'
import { findRealm } from '../../organizations/realms/queries.ts'
import type { Realm } from '../../organizations/realms/realm.ts'
import { requireSystemBot, type SystemBotName } from '../../people/users/bots/system-bots.ts'
import { findUsersById } from '../../people/users/queries.ts'
import type { Actor, User } from '../../people/users/user.ts'
import type { Db } from '../../platform/storage/storage.ts'
import { normalizeContent } from '../content/content.ts'
import { findAlerts } from '../content/mentions.ts'
import { renderNotice } from '../content/render-content.ts'
import { type Author, authorOf } from './author.ts'
import type { PreparedMessage, Target } from './prepare-message.ts'

/** What the server's own messages name as their client. */
const CLIENT = 'Internal'

/** Markdown that mentions somebody without telling them of it. */
export function silentMention(user: { id: number; fullName: string }): string {
  return `@_**${user.fullName}|${user.id}**`
}

/**
 * A direct message of the notification bot, or of another of the server's bots, to all of these people of one
 * organization together, to be saved by `saveMessages`. May be made inside a transaction from its `tx.db`, too.
 */
export async function prepareNotice(db: Db, notice: Notice): Promise<PreparedMessage> {
  const { author, recipients } = await findParties(db, notice)
  return prepare(db, author, { channel: null, people: [author.user, ...recipients] }, notice.content)
}

/** As `prepareNotice`, but to each of these people apart; rendered once for all. */
export async function prepareNotices(db: Db, notice: Notice): Promise<PreparedMessage[]> {
  const { author, recipients } = await findParties(db, notice)
  const prepared = await prepare(db, author, { channel: null, people: [author.user] }, notice.content)
  return recipients.map((one) => ({ ...prepared, target: { channel: null, people: [author.user, one] } }))
}

type Notice = { recipientIds: readonly number[]; content: string; bot?: SystemBotName }

async function findParties(db: Db, { recipientIds, bot }: Notice): Promise<{ author: Author; recipients: User[] }> {
  const recipients = await findUsersById(db, recipientIds)
  const realm = await findRealm(db, recipients[0]?.realmId ?? 0)
  if (realm === null) throw new Error('A notice needs somebody to read it')
  return { author: await findNotifier(db, realm, bot), recipients }
}

/** As `prepareNotice`, but to a topic. What `knownTo` may not know of now stays text, where somebody is given. */
export async function prepareThreadNotice(
  db: Db,
  realm: Realm,
  notice: { channel: Channel; topic: string; content: string; knownTo?: Knower },
): Promise<PreparedMessage> {
  const { channel, topic, content, knownTo } = notice
  return prepare(db, await findNotifier(db, realm), { channel, topic }, content, knownTo)
}

type Knower = { actor: Actor; now: number }

async function findNotifier(db: Db, realm: Realm, bot: SystemBotName = 'notification-bot'): Promise<Author> {
  return { user: await requireSystemBot(db, bot), realm }
}

async function prepare(
  db: Db,
  author: Author,
  target: Target,
  text: string,
  knownTo?: Knower,
): Promise<PreparedMessage> {
  const content = normalizeContent(text)
  // The time matters to permissions alone, and the server's bots need none.
  const [knower, now] = knownTo === undefined ? [author, 0] : [authorOf(knownTo.actor), knownTo.now]
  return {
    author,
    target,
    content,
    rendering: await renderNotice(db, knower, content, now),
    mentions: await findAlerts(db, author.realm.id, content),
    client: CLIENT,
    isReadBySender: true,
    localEcho: null,
    widget: null,
  }
}
