import { type RawBuilder, sql } from 'kysely'
import type { Condition } from './sql.ts'

type Reader = { readonly id: number }

/** The reader's visibility policy for the topic: 1 muted, 2 unmuted, 3 followed, null for none. */
const policy = ({ id }: Reader): RawBuilder<number | null> =>
  sql<number | null>`(select "visibilityPolicy" from "userTopics" where "userId" = ${id}
    and "channelId" = "messages"."channelId" and "topicKey" = "messages"."topicKey")`

/** Matches messages in topics that the reader follows. */
export function followed(reader: Reader): Condition {
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
