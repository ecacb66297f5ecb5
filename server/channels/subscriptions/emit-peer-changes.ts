import type { Realm } from '#realms/realm.ts'
import type { Transaction } from '#storage/storage.ts'
import { type Audience, findAudiences } from '../audience.ts'
import type { Channel } from '../channel.ts'
import type { peersAdded } from '../events.ts'
import type { peersRemoved } from './events.ts'
import type { UserChannelPair } from './subscription.ts'

/** Channels that have the same audience. */
type ChannelAudience = { audience: Audience; channelIds: number[] }

/** Channels that the same users joined or left. */
type PeerChange = { channelIds: number[]; userIds: number[] }

/**
 * Emits which users joined or left the channels, to all other users who may see these channels. Equal changes to public
 * channels share one event; each private channel gets its own. `recipients` limits the audience, if given.
 */
export async function emitPeerChanges(
  tx: Transaction,
  realm: Realm,
  pairs: readonly UserChannelPair[],
  toEvent: typeof peersAdded | typeof peersRemoved,
  recipients?: ReadonlySet<number>,
): Promise<void> {
  const peers = Map.groupBy(pairs, ({ channel }) => channel.id)
  const channels = [...peers.values()].flatMap(([pair]) => pair?.channel ?? []).sort((one, other) => one.id - other.id)
  const audiences = await findAudiences(tx.db, realm, channels, tx.now)
  for (const { audience, channelIds: sharedIds } of findChannelAudiences(channels, audiences)) {
    for (const { channelIds, userIds } of groupChanges(sharedIds, peers)) {
      const themselves = new Set(userIds)
      const others = audience.filter((id) => !themselves.has(id) && (recipients?.has(id) ?? true))
      if (others.length > 0) tx.emit(realm.id, toEvent(channelIds, userIds), others)
    }
  }
}

function findChannelAudiences(
  channels: readonly Channel[],
  audiences: ReadonlyMap<number, Audience>,
): ChannelAudience[] {
  const all = channels.map(({ id }) => ({ audience: audiences.get(id) ?? [], channelIds: [id] }))
  const isPublic = (_: ChannelAudience, at: number) => channels[at]?.isPrivate === false
  const ofPrivate = all.filter((one, at) => !isPublic(one, at))
  return [...mergeAudiences(all.filter(isPublic)), ...ofPrivate]
}

/** Regroups the audiences, so that each user is in only one of them. */
function mergeAudiences(all: readonly ChannelAudience[]): ChannelAudience[] {
  const byAudience = Map.groupBy(all, ({ audience }) => audience)
  const distinct = [...byAudience].map(([audience, equal]) => ({ audience, channelIds: idsOf(equal) }))
  if (distinct.length < 2) return distinct
  const indexesOfUser = new Map<number, string>()
  for (const [index, { audience }] of distinct.entries())
    for (const id of audience) indexesOfUser.set(id, `${indexesOfUser.get(id) ?? ''} ${index}`)
  return [...Map.groupBy(indexesOfUser.keys(), (id) => indexesOfUser.get(id) ?? '')].map(([indexes, audience]) => ({
    audience,
    channelIds: idsOf(
      indexes
        .trim()
        .split(' ')
        .flatMap((index) => distinct[Number(index)] ?? []),
    ),
  }))
}

const idsOf = (all: readonly ChannelAudience[]) => all.flatMap(({ channelIds }) => channelIds).sort(ascending)

function groupChanges(
  channelIds: readonly number[],
  peers: ReadonlyMap<number, readonly UserChannelPair[]>,
): PeerChange[] {
  const changes = new Map<string, PeerChange>()
  for (const channelId of channelIds) {
    const userIds = (peers.get(channelId) ?? []).map(({ user }) => user.id).sort(ascending)
    const equal = changes.get(userIds.join())
    if (equal === undefined) changes.set(userIds.join(), { channelIds: [channelId], userIds })
    else equal.channelIds.push(channelId)
  }
  return [...changes.values()]
}

const ascending = (one: number, other: number) => one - other
