import { setImmediate as othersFirst } from 'node:timers/promises'
import { channelRetention } from '../../channels/retention.ts'
import { type Retention, retentionCutoff } from '../../organizations/realms/retention.ts'
import type { Db } from '../../platform/storage/storage.ts'
import type { MessageContainer } from '../flags/read-marks.ts'
import {
  CONTAINERS_AT_ONCE,
  type ContainerAge,
  findChannelAges,
  findConversationAges,
  findRealmRetentions,
} from './queries.ts'

/** The channels and conversations whose oldest message is to go by now, looked for as they are asked for. */
export async function* findSpotsWithOver(db: Db, now: number): AsyncGenerator<MessageContainer> {
  const ofRealms = await findRealmRetentions(db)
  const limited = [...ofRealms].filter(([, retention]) => retentionCutoff(retention, now) !== null)
  const realmIds = limited.map(([realmId]) => realmId)
  for (let last = 0, isMore = true; isMore; ) {
    const channels = await findChannelAges(db, { realmIds, last, now })
    for (const { id, realmId, own, ...age } of channels) {
      last = id
      const ofRealm = ofRealms.get(realmId)
      if (ofRealm !== undefined && isOver(age, channelRetention(own, ofRealm), now)) yield age.container
    }
    isMore = channels.length === CONTAINERS_AT_ONCE
    await othersFirst()
  }
  for (const [realmId, retention] of limited) yield* findConversationsWithOver(db, realmId, retention, now)
}

async function* findConversationsWithOver(
  db: Db,
  realmId: number,
  retention: Retention,
  now: number,
): AsyncGenerator<MessageContainer> {
  for (let last = '', isMore = true; isMore; ) {
    const conversations = await findConversationAges(db, { realmId, last, now })
    for (const { key, ...age } of conversations) {
      last = key
      if (isOver(age, retention, now)) yield age.container
    }
    isMore = conversations.length === CONTAINERS_AT_ONCE
    await othersFirst()
  }
}

function isOver({ oldestSentAt }: ContainerAge, retention: Retention, now: number): boolean {
  const before = retentionCutoff(retention, now)
  return before !== null && oldestSentAt !== null && oldestSentAt < before
}
