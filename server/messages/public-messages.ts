import { isOpenToSpectators } from '#channels/access.ts'
import type { Channel } from '#channels/channel.ts'
import { findTopics } from '#channels/topic.ts'
import { type Viewer, viewerOf } from '#groups/viewer.ts'
import { spectatorOf } from '#people/users.ts'
import type { Realm } from '#realms/realm.ts'
import type { Db } from '#storage/storage.ts'
import type { MessageFormat, MessageJson } from './message.ts'
import { NEWEST } from './narrow/find-page.ts'
import { isAmong, realmChannels, type Term } from './narrow.ts'
import { listMessages, listMessagesById, type MessageRange } from './reading/list-messages.ts'

// The web-public channels of an organization with their topics and messages, as people without an account see them.
// Everything is read as a spectator, so that the access functions decide. What is not open is not found.

/** The number of messages, and of topics, on a page. */
const MESSAGES_PER_PAGE = 50
export const TOPICS_PER_PAGE = 100

/** The number of messages that a page shows before the message of a link. */
const BEFORE_LINKED = 10

const FORMAT: MessageFormat = {
  appliesMarkdown: true,
  allowsEmptyTopic: true,
  computesGravatar: false,
  extraEmojiType: 'service_extra_emoji',
}

export type PublicTopic = { name: string; newestId: number; newestAt: number }

/** Where a page of messages is: it ends with the newest message, is next to another page, or shows a message. */
export type PagePosition = { kind: 'newest' } | { kind: 'before' | 'after' | 'at'; id: number }

export type PublicMessages = { messages: readonly MessageJson[]; hasOlder: boolean; hasNewer: boolean }

/** A spectator needs no time: it decides only about members who are new. */
const spectatorViewer = (db: Db, realm: Realm): Viewer => viewerOf(db, spectatorOf(realm), 0)

/** Returns the channels that are open to everyone, by name. */
export async function findPublicChannels(db: Db, realm: Realm): Promise<Channel[]> {
  const all = await realmChannels.get(db, realm.id)
  return all
    .filter((channel) => isOpenToSpectators(realm, channel))
    .toSorted((one, other) => one.name.localeCompare(other.name))
}

/** Returns a page of the topics of an open channel, those with the newest messages first, and the number of all topics. */
export async function findPublicTopics(
  db: Db,
  channel: Channel,
  page: number,
): Promise<{ topics: PublicTopic[]; count: number }> {
  const all = await findTopics(db, channel.id, null)
  const shown = all.slice((page - 1) * TOPICS_PER_PAGE, page * TOPICS_PER_PAGE)
  const ids = shown.map(({ maxId }) => maxId)
  const rows = await db
    .selectFrom('messages')
    .select(['id', 'sentAt'])
    .where(isAmong(db, 'id', ids))
    .execute()
  const times = new Map(rows.map(({ id, sentAt }) => [id, sentAt]))
  const topics = shown.map(({ name, maxId }) => ({ name, newestId: maxId, newestAt: times.get(maxId) ?? 0 }))
  return { topics, count: all.length }
}

/** Returns the messages of a topic at the position; none if the channel is not open. */
export async function findPublicMessages(
  db: Db,
  realm: Realm,
  { channel, topic }: { channel: Channel; topic: string },
  position: PagePosition,
): Promise<PublicMessages> {
  const terms: Term[] = [
    { operator: 'channel', operand: channel.id, negated: false },
    { operator: 'topic', operand: topic, negated: false },
  ]
  const page = await listMessages(spectatorViewer(db, realm), { terms, range: rangeOf(position) }, FORMAT)
  const messages = page.rows.map((row) => JSON.parse(row) as MessageJson)
  const { start, end } = fitPage(messages, position)
  return {
    messages: messages.slice(start, end),
    hasOlder: start > 0 || (!page.foundOldest && end > 0),
    hasNewer: end < messages.length || (!page.foundNewest && end > 0),
  }
}

/** The size of a page, in characters, beyond which messages are left to the next page. */
const MAX_PAGE_LENGTH = 300_000

/** Returns the range of messages that fit on a page: those next to its neighbor, or from the linked message on. */
function fitPage(messages: readonly MessageJson[], position: PagePosition): { start: number; end: number } {
  const sizes = messages.map(({ content }) => content.length)
  const total = sizes.reduce((sum, size) => sum + size, 0)
  if (total <= MAX_PAGE_LENGTH) return { start: 0, end: messages.length }
  const countOf = (list: readonly number[]) => {
    let size = 0
    const tooMany = list.findIndex((each) => {
      size += each
      return size > MAX_PAGE_LENGTH
    })
    return tooMany === -1 ? list.length : Math.max(1, tooMany)
  }
  if (position.kind === 'newest' || position.kind === 'before')
    return { start: messages.length - countOf(sizes.toReversed()), end: messages.length }
  const start =
    position.kind === 'at'
      ? Math.max(
          0,
          messages.findIndex(({ id }) => id >= position.id),
        )
      : 0
  return { start, end: start + countOf(sizes.slice(start)) }
}

function rangeOf(position: PagePosition): MessageRange {
  const none = { before: 0, after: 0, includesAnchor: false }
  switch (position.kind) {
    case 'newest':
      return { ...none, anchor: NEWEST, before: MESSAGES_PER_PAGE }
    case 'before':
      return { ...none, anchor: position.id, before: MESSAGES_PER_PAGE }
    case 'after':
      return { ...none, anchor: position.id, after: MESSAGES_PER_PAGE }
    case 'at': {
      const after = MESSAGES_PER_PAGE - BEFORE_LINKED - 1
      return { anchor: position.id, before: BEFORE_LINKED, after, includesAnchor: true }
    }
  }
}

/** Returns the message if it is open to everyone. */
export async function findPublicMessage(db: Db, realm: Realm, id: number): Promise<MessageJson | null> {
  const { rows } = await listMessagesById(spectatorViewer(db, realm), { terms: [], messageIds: [id] }, FORMAT)
  return rows[0] === undefined ? null : (JSON.parse(rows[0]) as MessageJson)
}
