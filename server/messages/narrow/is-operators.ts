import { sql } from 'kysely'
import { RESOLVED_PREFIX, topicKey } from '#channels/topic.ts'
import type { Viewer } from '#groups/viewer.ts'
import { MessageFeature } from '../content/message-features.ts'
import { Flag, MENTION_FLAGS } from '../flags/flag.ts'
import type { Clause, Operator } from './clause.ts'
import { followed, muted } from './muting.ts'
import { badNarrow } from './refusals.ts'
import { type Condition, matchesNothing, not } from './sql.ts'
import { operandText } from './term.ts'

const hasFlags = (flags: number): Clause => ({
  condition: sql<boolean>`("userMessages"."flags" & ${flags}) <> 0`,
  hints: { hasIndexedFlag: true },
})

/** Matches unread messages. A message without a record counts as read. */
export const unread: Condition = sql<boolean>`("userMessages"."flags" & ${sql.lit(Flag.read)}) = 0`

const direct = (): Clause => ({
  condition: sql<boolean>`"messages"."conversationId" is not null`,
  hints: { isDirect: true },
})

const meanings: Record<string, (viewer: Viewer) => Clause> = {
  dm: direct,
  private: direct,
  starred: () => hasFlags(Flag.starred),
  mentioned: () => hasFlags(MENTION_FLAGS),
  alerted: () => hasFlags(Flag.has_alert_word),
  unread: () => ({ condition: unread, hints: { isUnread: true } }),
  resolved: () => {
    const prefix = topicKey(RESOLVED_PREFIX)
    return { condition: sql<boolean>`substr("messages"."topicKey", 1, ${prefix.length}) = ${prefix}` }
  },
  muted: (viewer) => ({ condition: muted(viewer.actor) }),
  followed: (viewer) => ({ condition: followed(viewer.actor) }),
}

export const is: Operator = (viewer, term) => {
  const operand = operandText(term)
  const meaning = Object.hasOwn(meanings, operand) ? meanings[operand] : undefined
  if (meaning === undefined) throw badNarrow({ desc: `unknown 'is' operand ${operand}` })
  return meaning(viewer)
}

/** The operand `home` matches the messages of the combined feed, and the operand `all` matches every message. */
export const inOperator: Operator = (viewer, term) => {
  const operand = operandText(term)
  if (operand === 'home') return { condition: not(muted(viewer.actor)) }
  if (operand === 'all') return { condition: not(matchesNothing) }
  throw badNarrow({ desc: `unknown 'in' operand ${operand}` })
}

export const has: Operator = (_, term) => {
  const operand = operandText(term)
  if (operand === 'reaction') {
    const condition = sql<boolean>`exists (select 1 from "reactions" where "reactions"."messageId" = "messages"."id")`
    return { condition }
  }
  if (operand !== 'link' && operand !== 'image' && operand !== 'attachment')
    throw badNarrow({ desc: `unknown 'has' operand ${operand}` })
  return {
    condition: sql<boolean>`("messages"."holdings" & ${MessageFeature[operand]}) <> 0`,
    hints: { hasFeatures: true },
  }
}
