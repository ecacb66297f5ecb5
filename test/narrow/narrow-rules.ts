import type { Person } from '../harness.ts'
import type { World } from './narrow-world.ts'

export type Term = { operator: string; operand: string | number | number[]; negated: boolean }

/** A message from the view of one person, with all properties that narrows can test. */
export type Fact = {
  id: number
  senderId: number
  channelId: number | null
  topic: string
  /** The participants of a direct message; empty for channel messages. */
  participants: readonly number[]
  isPublic: boolean
  isWebPublic: boolean
  isMuted: boolean
  isFollowed: boolean
  /** The names of the flags; null without a record. */
  flags: readonly string[] | null
  hasReaction: boolean
  html: string
}

/** Returns all messages from the view of `person`. */
export async function factsOf({ chat, channels }: World, person: Person): Promise<Fact[]> {
  const { db } = chat.app.services
  const rows = await db
    .selectFrom('messages')
    .leftJoin('conversations', 'conversations.id', 'messages.conversationId')
    .leftJoin('userMessages', (join) =>
      join.onRef('userMessages.messageId', '=', 'messages.id').on('userMessages.userId', '=', person.id),
    )
    .select(['messages.id', 'senderId', 'channelId', 'topic', 'renderedContent', 'participantsKey', 'flags'])
    .orderBy('messages.id')
    .execute()
  const reactions = await db.selectFrom('reactions').select('messageId').execute()
  const policies = await db.selectFrom('userTopics').selectAll().where('userId', '=', person.id).execute()
  const muted = await db
    .selectFrom('subscriptions')
    .select('channelId')
    .where('userId', '=', person.id)
    .where('isMuted', '=', 1)
    .execute()
  const channelRows = await db.selectFrom('channels').select(['id', 'isPrivate', 'isWebPublic']).execute()
  if (channelRows.length < channels.length) throw new Error('A channel is missing')
  return rows.map((row) => {
    const channel = channelRows.find(({ id }) => id === row.channelId)
    const policy = policies.find(
      (each) => each.channelId === row.channelId && each.topicKey === row.topic.toLowerCase(),
    )?.visibilityPolicy
    return {
      id: row.id,
      senderId: row.senderId,
      channelId: row.channelId,
      topic: row.topic,
      participants: row.participantsKey === null ? [] : row.participantsKey.split(',').map(Number),
      isPublic: channel?.isPrivate === 0,
      isWebPublic: channel?.isWebPublic === 1,
      isMuted: policy === undefined ? muted.some((each) => each.channelId === row.channelId) : policy === 1,
      isFollowed: policy === 3,
      flags: row.flags === null ? null : flagNames(row.flags),
      hasReaction: reactions.some((reaction) => reaction.messageId === row.id),
      html: row.renderedContent,
    }
  })
}

const flagNames = (bits: number): string[] =>
  ['read', 'starred', 'collapsed', 'mentioned', 'mentioned', 'mentioned', 'mentioned', '', '', 'alerted'].filter(
    (_, index) => bits & (1 << index),
  )

/** Returns whether a reader of the message finds it by the term. */
export function matchesTerm(
  { chat: _, channels }: World,
  person: Person,
  fact: Fact,
  { operator, operand }: Term,
): boolean {
  const isDirect = fact.participants.length > 0
  switch (operator) {
    case 'channel':
    case 'stream':
      return channels.some(({ id, name }) => id === fact.channelId && (name === operand || id === operand))
    case 'channels':
      return operand === 'public' ? fact.isPublic : fact.isWebPublic
    case 'topic':
      return !isDirect && fact.topic.toLowerCase() === String(operand).toLowerCase()
    case 'dm':
    case 'pm-with':
      return isDirect && sameIds(fact.participants, [...(operand as number[]), person.id])
    case 'dm-including':
      return fact.participants.includes(operand as number)
    case 'group-pm-with':
      return fact.participants.length > 2 && fact.participants.includes(operand as number)
    case 'sender':
      return fact.senderId === (operand === 'me' ? person.id : operand)
    case 'id':
      return fact.id === Number(operand)
    case 'in':
      return operand === 'all' || !fact.isMuted
    case 'has':
      return operand === 'reaction' ? fact.hasReaction : hasFeature(fact.html, String(operand))
    case 'search':
      return isFound(fact, String(operand))
    case 'is':
      return hasState(fact, String(operand))
    default:
      return true
  }
}

function hasState(fact: Fact, operand: string): boolean {
  if (operand === 'dm' || operand === 'private') return fact.participants.length > 0
  if (operand === 'unread') return fact.flags?.includes('read') === false
  if (operand === 'resolved') return fact.topic.startsWith('✔ ')
  if (operand === 'muted') return fact.isMuted
  if (operand === 'followed') return fact.isFollowed
  return fact.flags?.includes(operand) === true
}

function hasFeature(html: string, feature: string): boolean {
  if (feature === 'link') return html.includes('<a ')
  return html.includes(feature === 'image' ? 'cat.png"' : 'href="/user_uploads/')
}

const plain = (text: string) =>
  text
    .replace(/<[^>]*>|&\w+;/g, ' ')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()

function isFound({ topic, html }: Fact, search: string): boolean {
  const texts = [plain(topic), plain(html)]
  if (search.startsWith('"')) return texts.some((text) => text.includes(search.slice(1, -1)))
  const words = texts.flatMap((text) => text.split(/[^\p{L}\p{N}]+/u))
  return words.some((word) => word === search || word === `${search}s` || word === `${search}es`)
}

const sameIds = (ids: readonly number[], otherIds: readonly number[]) =>
  new Set(ids).symmetricDifference(new Set(otherIds)).size === 0
