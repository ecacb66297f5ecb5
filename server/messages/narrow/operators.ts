import { sql } from 'kysely'
import { matchesPhrases, parsePhrases } from '../search/phrases.ts'
import { channel, channels, topic } from './channel-operators.ts'
import type { Operator } from './clause.ts'
import { dm, dmIncluding, groupPmWith } from './direct-operators.ts'
import { has, inOperator, is } from './is-operators.ts'
import { requireOperandUser } from './operand-users.ts'
import { badNarrow, requireFewWords } from './refusals.ts'
import { matchesNothing, not } from './sql.ts'
import { operandText, parseId } from './term.ts'
import { after, before } from './time-operators.ts'

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
