import { sql } from 'kysely'
import { maySeeChannel, NO_CHANNEL_ID } from '#channels/access.ts'
import type { Channel } from '#channels/channel.ts'
import { findChannelByName } from '#channels/queries.ts'
import { findChannelsKnownByName } from '#channels/subscriptions.ts'
import { normalizeTopic, topicKey } from '#channels/topic.ts'
import type { Viewer } from '#groups/viewer.ts'
import {
  badNarrow,
  matchesNothing,
  not,
  type Operator,
  operandText,
  parseId,
  requireFewWords,
  requireOperandUser,
  requireOperandUsers,
  type Term,
} from '../narrow.ts'
import { findDirectConversation, findFirstIdSince } from '../queries.ts'
import { matchesPhrases, parsePhrases } from '../search/phrases.ts'
import { has, inOperator, is } from './is-operators.ts'

/** An id may be of any channel: the scope of the reader leaves out the messages of hidden ones. */
const channel: Operator = async (viewer, { operand }) => {
  const id = typeof operand === 'number' ? operand : (await requireNamedChannel(viewer, operand)).id
  return { condition: sql<boolean>`"messages"."channelId" = ${id}`, hints: { channelId: id }, opensHistory: true }
}

/**
 * Returns the channel with this name. Refuses a channel that the reader may not know of like a missing one. The
 * exception is a former subscriber who names the channel by the name that it had then.
 */
async function requireNamedChannel(viewer: Viewer, operand: string | readonly (string | number)[]): Promise<Channel> {
  const { db, actor } = viewer
  if (typeof operand === 'object') throw badNarrow({ desc: `unknown channel ${operand}` })
  const channel = await findChannelByName(db, actor.realmId, operand.trim())
  const maySee = await maySeeChannel(viewer, channel)
  const id = channel?.id ?? NO_CHANNEL_ID
  const knowsName = maySee || (await findChannelsKnownByName(db, [actor.id], [id])).has(id)
  if (channel !== null && knowsName) return channel
  throw badNarrow({ desc: `unknown channel ${operand}` })
}

const channels: Operator = ({ actor }, term) => {
  const operand = operandText(term)
  if (operand !== 'public' && operand !== 'web-public') throw badNarrow({ desc: `unknown channels operand ${operand}` })
  const column = operand === 'public' ? sql`"isPrivate" = 0` : sql`"isWebPublic" = 1`
  const condition = sql<boolean>`"messages"."channelId" in (
    select "id" from "channels" where "realmId" = ${actor.realmId} and ${column})`
  return { condition, opensHistory: true }
}

const topic: Operator = (_, term) => {
  const key = topicKey(normalizeTopic(operandText(term)))
  const condition = sql<boolean>`"messages"."channelId" is not null and "messages"."topicKey" = ${key}`
  return { condition, hints: { topicKey: key } }
}

/** Matches the direct conversation between the reader and exactly these users. Without users it matches nothing. */
const dm: Operator = async (viewer, { operand }) => {
  const { db, actor } = viewer
  const people = await requireOperandUsers(viewer, operand)
  const participantIds = new Set([actor.id, ...people.map((user) => user.id)])
  const conversation = people.length === 0 ? null : await findDirectConversation(db, actor.realmId, [...participantIds])
  if (conversation === null) return { condition: matchesNothing, hints: { conversationId: 0 } }
  const { id } = conversation
  return { condition: sql<boolean>`"messages"."conversationId" = ${id}`, hints: { conversationId: id } }
}

/** Matches all direct conversations that include the user. */
const dmIncluding: Operator = async (viewer, { operand }) => {
  const { id } = await requireOperandUser(viewer, operand)
  const condition = sql<boolean>`"messages"."conversationId" in (
    select "conversationId" from "conversationMembers" where "userId" = ${id})`
  return { condition, hints: { isDirect: true } }
}

/** Matches all direct conversations of three or more users that include the user. */
const groupPmWith: Operator = async (viewer, { operand }) => {
  const { id } = await requireOperandUser(viewer, operand)
  const condition = sql<boolean>`"messages"."conversationId" in (
    select "conversationId" from "conversationMembers"
    inner join "conversations" on "conversations"."id" = "conversationMembers"."conversationId"
    where "userId" = ${id} and "recipientId" is not null)`
  return { condition, hints: { isDirect: true } }
}

/** Matches messages sent before the time. */
const before: Operator = async (viewer, term) => {
  const time = operandTime(term)
  const condition = sql<boolean>`"messages"."sentAt" < ${time}`
  if (term.negated) return { condition }
  const maxId = await findFirstIdSince(viewer.db, viewer.actor.realmId, time + MAX_DISORDER)
  return { condition, hints: maxId === null ? {} : { maxId } }
}

/** Matches messages sent at the time or later. */
const after: Operator = async (viewer, term) => {
  const time = operandTime(term)
  const condition = sql<boolean>`"messages"."sentAt" >= ${time}`
  if (term.negated) return { condition }
  const minId = await findFirstIdSince(viewer.db, viewer.actor.realmId, time - MAX_DISORDER)
  return { condition, hints: { minId: minId ?? Number.MAX_SAFE_INTEGER } }
}

/**
 * Leaves out redundant time terms: of those that are not negated, only the latest `after` and the earliest `before`
 * stay. Refuses an invalid time.
 */
export function withoutImpliedTimes(terms: readonly Term[]): Term[] {
  const latest = extremeTime(terms, 'after', Math.max)
  const earliest = extremeTime(terms, 'before', Math.min)
  return terms.filter((term) => term.negated || !isTime(term) || term === latest || term === earliest)
}

const isTime = ({ operator }: Term) => operator === 'before' || operator === 'after'

function extremeTime(terms: readonly Term[], operator: 'before' | 'after', choose: typeof Math.max): Term | undefined {
  const candidates = terms.filter((term) => term.operator === operator && !term.negated)
  const time = choose(...candidates.map(operandTime))
  return candidates.find((term) => operandTime(term) === time)
}

/** The maximum error of clocks, in seconds. Apart from this error, ids grow with time. */
const MAX_DISORDER = 86_400

const DATE = /^\d{4}-\d{2}-\d{2}$/

/**
 * Returns the UNIX time of an operand: a number of seconds, or a date such as `2026-01-31`, which stands for the start
 * of that day in UTC.
 */
function operandTime(term: Term): number {
  const text = operandText(term).trim()
  const seconds = parseId(text)
  if (seconds !== null) return seconds
  const date = DATE.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  // Some days do not exist, such as February 30, which is parsed as a day in March.
  if (Number.isNaN(date) || new Date(date).toISOString().slice(0, 10) !== text)
    throw badNarrow({ desc: `unknown '${term.operator}' operand ${text}` })
  return date / 1000
}

const sender: Operator = async (viewer, { operand }) => {
  const { id } = operand === 'me' ? viewer.actor : await requireOperandUser(viewer, operand)
  return { condition: sql<boolean>`"messages"."senderId" = ${id}`, hints: { senderId: id } }
}

const id: Operator = (_, term) => {
  const messageId = parseId(operandText(term))
  if (messageId === null) throw badNarrow({ desc: 'Invalid message ID' })
  return { condition: sql<boolean>`"messages"."id" = ${messageId}`, hints: { id: messageId }, opensHistory: true }
}

const search: Operator = ({ db }, term) => {
  const phrases = parsePhrases(operandText(term))
  if (phrases.length === 0) return { condition: matchesNothing, hints: { phrases } }
  requireFewWords(phrases)
  const matches = matchesPhrases(db, phrases)
  // Normally, looking up a few messages in the index is cheaper than listing all its matches. Beginnings of words are
  // an exception, because the index collects their matches for each lookup. Excluded words are another exception,
  // because they would be looked up for every message that is read.
  const isListed = term.negated || phrases.some((phrase) => 'beginning' in phrase)
  const condition = isListed
    ? sql<boolean>`"messages"."id" in (select "rowid" from "messageWords" where ${matches})`
    : sql<boolean>`exists (select 1 from "messageWords" where "rowid" = "messages"."id" and ${matches})`
  return { condition, hints: { phrases } }
}

/** Matches every message. Links contain `near`, and the client uses its operand as the anchor. */
const near: Operator = () => ({ condition: not(matchesNothing) })

export const operators: Readonly<Record<string, Operator>> = {
  channel,
  stream: channel,
  channels,
  streams: channels,
  topic,
  subject: topic,
  dm,
  'pm-with': dm,
  pm_with: dm,
  'dm-including': dmIncluding,
  'group-pm-with': groupPmWith,
  group_pm_with: groupPmWith,
  sender,
  from: sender,
  is,
  in: inOperator,
  has,
  id,
  near,
  before,
  after,
  search,
}
