import { sql } from 'kysely'
import { isMatch, phrasesOf } from '../search/phrases.ts'
import { channel, channels, topic } from './channel-operators.ts'
import type { Operator } from './clause.ts'
import { dm, dmIncluding, groupPmWith } from './direct-operators.ts'
import { has, inView, is } from './is-operators.ts'
import { requirePerson } from './people.ts'
import { badNarrow } from './refusals.ts'
import { not, nothing } from './sql.ts'
import { idOf, textOf } from './term.ts'

const sender: Operator = async (narrower, { operand }) => {
  const { id } = operand === 'me' ? narrower.actor : await requirePerson(narrower, operand)
  return { condition: sql<boolean>`"messages"."senderId" = ${id}`, aim: { senderId: id } }
}

const id: Operator = (_, term) => {
  const messageId = idOf(textOf(term))
  if (messageId === null) throw badNarrow({ desc: 'Invalid message ID' })
  return { condition: sql<boolean>`"messages"."id" = ${messageId}`, aim: { id: messageId }, opensHistory: true }
}

/** More words than anybody types; each one is looked up. */
const MAX_PHRASES = 100

const search: Operator = ({ db }, term) => {
  const phrases = phrasesOf(textOf(term))
  if (phrases.length === 0) return { condition: nothing, aim: { phrases } }
  if (phrases.flat().length > MAX_PHRASES) throw badNarrow({ desc: 'too many words' })
  const condition = sql<boolean>`"messages"."id" in (select "rowid" from "messageWords" where ${isMatch(db, phrases)})`
  return { condition, aim: { phrases } }
}

/** Where to look is what the anchor says: this is for links. */
const near: Operator = () => ({ condition: not(nothing) })

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
  in: inView,
  has,
  id,
  near,
  search,
}
