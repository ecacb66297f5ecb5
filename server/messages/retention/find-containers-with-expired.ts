import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { channelRetention } from '#channels/retention.ts'
import { type Retention, retentionCutoff } from '#realms/retention.ts'
import type { Db } from '#storage/storage.ts'
import type { MessageContainer } from '../flags/read-marks.ts'
import {
  CONTAINERS_AT_ONCE,
  type ContainerAge,
  findChannelAges,
  findConversationAges,
  findRealmRetentions,
} from './queries.ts'

/** Yields the channels and conversations whose oldest message has expired. */
export async function* findContainersWithExpired(db: Db, now: number): AsyncGenerator<MessageContainer> {
  const realmRetentions = await findRealmRetentions(db)
  const limited = [...realmRetentions].filter(([, retention]) => retentionCutoff(retention, now) !== null)
  const realmIds = limited.map(([realmId]) => realmId)
  for (let last = 0, isMore = true; isMore; ) {
    const channels = await findChannelAges(db, { realmIds, last, now })
    for (const { id, realmId, own, ...age } of channels) {
      last = id
      const realmRetention = realmRetentions.get(realmId)
      if (realmRetention !== undefined && isExpired(age, channelRetention(own, realmRetention), now))
        yield age.container
    }
    isMore = channels.length === CONTAINERS_AT_ONCE
    await yieldToOthers()
  }
  for (const [realmId, retention] of limited) yield* findConversationsWithExpired(db, realmId, retention, now)
}

async function* findConversationsWithExpired(
  db: Db,
  realmId: number,
  retention: Retention,
  now: number,
): AsyncGenerator<MessageContainer> {
  for (let last = '', isMore = true; isMore; ) {
    const conversations = await findConversationAges(db, { realmId, last, now })
    for (const { key, ...age } of conversations) {
      last = key
      if (isExpired(age, retention, now)) yield age.container
    }
    isMore = conversations.length === CONTAINERS_AT_ONCE
    await yieldToOthers()
  }
}

function isExpired({ oldestSentAt }: ContainerAge, retention: Retention, now: number): boolean {
  const before = retentionCutoff(retention, now)
  return before !== null && oldestSentAt !== null && oldestSentAt < before
}
