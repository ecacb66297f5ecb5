import { type RawBuilder, sql } from 'kysely'
import { topicKey } from '#channels/topic.ts'
import type { Viewer } from '#groups/viewer.ts'
import { RESOLVED_PREFIX } from '#rules/topics.ts'
import { Flag, MENTION_FLAGS } from '../flags.ts'
import { MessageFeature } from '../message.ts'
import { badNarrow, type Clause, type Condition, matchesNothing, not, type Operator, operandText } from '../narrow.ts'

type Reader = { readonly id: number }

/** The reader's visibility policy for the topic: 1 muted, 2 unmuted, 3 followed, null for none. */
const policy = ({ id }: Reader): RawBuilder<number | null> =>
  sql<number | null>`(select "visibilityPolicy" from "userTopics" where "userId" = ${id}
    and "channelId" = "messages"."channelId" and "topicKey" = "messages"."topicKey")`

/** Matches messages in topics that the reader follows. */
function followed(reader: Reader): Condition {
  return sql<boolean>`("messages"."channelId", "messages"."topicKey") in (
    select "channelId", "topicKey" from "userTopics" where "userId" = ${reader.id} and "visibilityPolicy" = 3)`
}

/** Matches messages in topics that the reader has muted. */
export function inMutedTopic(reader: Reader): Condition {
  return sql<boolean>`${policy(reader)} = 1`
}

/** Matches messages in muted topics, and in muted channels unless the reader unmuted or follows the topic. */
export function muted(reader: Reader): Condition {
  return sql<boolean>`case ${policy(reader)} when 1 then 1 = 1 when 2 then 1 = 0 when 3 then 1 = 0
    else "messages"."channelId" in (
      select "channelId" from "subscriptions" where "userId" = ${reader.id} and "isMuted" = 1) end`
}

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
