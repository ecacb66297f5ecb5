import { type RawBuilder, sql } from 'kysely'
import type { NarrowContext } from './clause.ts'
import type { Condition } from './sql.ts'

/** The reader's visibility policy for the topic: 1 muted, 2 unmuted, 3 followed, null for none. */
const policy = ({ actor }: NarrowContext): RawBuilder<number | null> =>
  sql<number | null>`(select "visibilityPolicy" from "userTopics" where "userId" = ${actor.id}
    and "channelId" = "messages"."channelId" and "topicKey" = "messages"."topicKey")`

/** Matches messages in topics that the reader follows. */
export function followed(context: NarrowContext): Condition {
  return sql<boolean>`${policy(context)} = 3`
}

/** Matches messages in topics that the reader has muted. */
export function inMutedTopic(context: NarrowContext): Condition {
  return sql<boolean>`${policy(context)} = 1`
}

/** Matches messages in muted topics, and in muted channels unless the reader unmuted or follows the topic. */
export function muted(context: NarrowContext): Condition {
  return sql<boolean>`case ${policy(context)} when 1 then 1 = 1 when 2 then 1 = 0 when 3 then 1 = 0
    else "messages"."channelId" in (
      select "channelId" from "subscriptions" where "userId" = ${context.actor.id} and "isMuted" = 1) end`
}
