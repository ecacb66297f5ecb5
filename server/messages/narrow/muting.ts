import { type RawBuilder, sql } from 'kysely'
import type { Viewer } from '../../groups/viewer.ts'
import type { Condition } from './sql.ts'

/** The reader's visibility policy for the topic: 1 muted, 2 unmuted, 3 followed, null for none. */
const policy = ({ actor }: Viewer): RawBuilder<number | null> =>
  sql<number | null>`(select "visibilityPolicy" from "userTopics" where "userId" = ${actor.id}
    and "channelId" = "messages"."channelId" and "topicKey" = "messages"."topicKey")`

/** Matches messages in topics that the reader follows. */
export function followed(viewer: Viewer): Condition {
  return sql<boolean>`("messages"."channelId", "messages"."topicKey") in (
    select "channelId", "topicKey" from "userTopics" where "userId" = ${viewer.actor.id} and "visibilityPolicy" = 3)`
}

/** Matches messages in topics that the reader has muted. */
export function inMutedTopic(viewer: Viewer): Condition {
  return sql<boolean>`${policy(viewer)} = 1`
}

/** Matches messages in muted topics, and in muted channels unless the reader unmuted or follows the topic. */
export function muted(viewer: Viewer): Condition {
  return sql<boolean>`case ${policy(viewer)} when 1 then 1 = 1 when 2 then 1 = 0 when 3 then 1 = 0
    else "messages"."channelId" in (
      select "channelId" from "subscriptions" where "userId" = ${viewer.actor.id} and "isMuted" = 1) end`
}
