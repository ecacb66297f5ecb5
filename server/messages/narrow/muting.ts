import { type RawBuilder, sql } from 'kysely'
import type { NarrowContext } from './clause.ts'
import type { Condition } from './sql.ts'

/** What the reader decided of the topic: 1 muted, 2 unmuted, 3 followed; null when nothing. */
const policy = ({ actor }: NarrowContext): RawBuilder<number | null> =>
  sql<number | null>`(select "visibilityPolicy" from "userTopics" where "userId" = ${actor.id}
    and "channelId" = "messages"."channelId" and "topicKey" = "messages"."topicKey")`

/** Whether the message stands in a topic that the reader follows. */
export function followed(narrower: NarrowContext): Condition {
  return sql<boolean>`${policy(narrower)} = 3`
}

/** Whether the message stands in a topic that the reader has muted by itself. */
export function inMutedTopic(narrower: NarrowContext): Condition {
  return sql<boolean>`${policy(narrower)} = 1`
}

/** Whether the reader has muted its topic, or its channel and not made an exception of the topic. */
export function muted(narrower: NarrowContext): Condition {
  return sql<boolean>`case ${policy(narrower)} when 1 then 1 = 1 when 2 then 1 = 0 when 3 then 1 = 0
    else "messages"."channelId" in (
      select "channelId" from "subscriptions" where "userId" = ${narrower.actor.id} and "isMuted" = 1) end`
}
