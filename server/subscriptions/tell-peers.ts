import { type Audience, findAudiences } from '../channels/audience.ts'
import type { Channel } from '../channels/channel.ts'
import type { peersAdded } from '../channels/events.ts'
import type { Realm } from '../realms/realm.ts'
import type { Transaction } from '../storage/storage.ts'
import type { peersRemoved } from './events.ts'
import type { Pair } from './subscription.ts'

/** Channels that the same people joined or left, and of which the same others hear. */
type Change = { channelIds: number[]; userIds: number[] }

/**
 * Tells those who may know of the channels, but for the people themselves, who joined or left: in one event for all
 * channels where it is the same, and one for each private channel. Of them `hearers` alone, where these are given.
 */
export async function tellPeers(
  tx: Transaction,
  realm: Realm,
  pairs: readonly Pair[],
  toEvent: typeof peersAdded | typeof peersRemoved,
  hearers?: ReadonlySet<number>,
): Promise<void> {
  const channels = new Map<number, Channel>(pairs.map(({ channel }) => [channel.id, channel]))
  const audiences = await findAudiences(tx.db, realm, [...channels.values()], tx.now)
  for (const [audience, changes] of alikeChanges(pairs, audiences)) {
    for (const { channelIds, userIds } of changes) {
      const themselves = new Set(userIds)
      const others = audience.filter((id) => !themselves.has(id) && (hearers?.has(id) ?? true))
      if (others.length > 0) tx.emit(realm.id, toEvent(channelIds, userIds), others)
    }
  }
}

function alikeChanges(pairs: readonly Pair[], audiences: ReadonlyMap<number, Audience>): Map<Audience, Change[]> {
  const usersByChannel = Map.groupBy(pairs, ({ channel }) => channel.id)
  const changes = new Map<Audience, Map<string, Change>>()
  for (const channelId of [...usersByChannel.keys()].sort(ascending)) {
    const audience = audiences.get(channelId) ?? []
    const userIds = (usersByChannel.get(channelId) ?? []).map(({ user }) => user.id).sort(ascending)
    const alike = changes.get(audience) ?? new Map<string, Change>()
    changes.set(audience, alike)
    const change = alike.get(userIds.join())
    if (change === undefined) alike.set(userIds.join(), { channelIds: [channelId], userIds })
    else change.channelIds.push(channelId)
  }
  return new Map([...changes].map(([audience, alike]) => [audience, [...alike.values()]]))
}

const ascending = (one: number, other: number) => one - other
