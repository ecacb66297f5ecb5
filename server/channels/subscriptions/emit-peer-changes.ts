import type { Realm } from '../../organizations/realms/realm.ts'
import type { Transaction } from '../../platform/storage/storage.ts'
import { type Audience, findAudiences } from '../audience.ts'
import type { Channel } from '../channel.ts'
import type { peersAdded } from '../events.ts'
import type { peersRemoved } from './events.ts'
import type { UserChannelPair } from './subscription.ts'

/** People who hear of the same channels. */
type ChannelAudience = { hearers: Audience; channelIds: number[] }

/** Channels that the same people joined or left. */
type PeerChange = { channelIds: number[]; userIds: number[] }

/**
 * Tells those who may know of the channels, but for the people themselves, who joined or left: each of them in one event
 * for all public channels where it is the same, and one for each private channel. Of them `hearers` alone, where these are
 * given.
 */
export async function emitPeerChanges(
  tx: Transaction,
  realm: Realm,
  pairs: readonly UserChannelPair[],
  toEvent: typeof peersAdded | typeof peersRemoved,
  hearers?: ReadonlySet<number>,
): Promise<void> {
  const peers = Map.groupBy(pairs, ({ channel }) => channel.id)
  const channels = [...peers.values()].flatMap(([pair]) => pair?.channel ?? []).sort((one, other) => one.id - other.id)
  const audiences = await findAudiences(tx.db, realm, channels, tx.now)
  for (const hearing of findChannelAudiences(channels, audiences)) {
    for (const { channelIds, userIds } of groupChanges(hearing.channelIds, peers)) {
      const themselves = new Set(userIds)
      const others = hearing.hearers.filter((id) => !themselves.has(id) && (hearers?.has(id) ?? true))
      if (others.length > 0) tx.emit(realm.id, toEvent(channelIds, userIds), others)
    }
  }
}

function findChannelAudiences(
  channels: readonly Channel[],
  audiences: ReadonlyMap<number, Audience>,
): ChannelAudience[] {
  const hearings = channels.map(({ id }) => ({ hearers: audiences.get(id) ?? [], channelIds: [id] }))
  const isOpen = (_: ChannelAudience, at: number) => channels[at]?.isPrivate === false
  const closed = hearings.filter((hearing, at) => !isOpen(hearing, at))
  return [...mergeAudiences(hearings.filter(isOpen)), ...closed]
}

/** The same, with each hearer in one of them. */
function mergeAudiences(hearings: readonly ChannelAudience[]): ChannelAudience[] {
  const byAudience = Map.groupBy(hearings, ({ hearers }) => hearers)
  const known = [...byAudience].map(([hearers, alike]) => ({ hearers, channelIds: idsOf(alike) }))
  if (known.length < 2) return known
  const heard = new Map<number, string>()
  for (const [at, { hearers }] of known.entries())
    for (const id of hearers) heard.set(id, `${heard.get(id) ?? ''} ${at}`)
  return [...Map.groupBy(heard.keys(), (id) => heard.get(id) ?? '')].map(([which, hearers]) => ({
    hearers,
    channelIds: idsOf(
      which
        .trim()
        .split(' ')
        .flatMap((at) => known[Number(at)] ?? []),
    ),
  }))
}

const idsOf = (hearings: readonly ChannelAudience[]) => hearings.flatMap(({ channelIds }) => channelIds).sort(ascending)

function groupChanges(
  channelIds: readonly number[],
  peers: ReadonlyMap<number, readonly UserChannelPair[]>,
): PeerChange[] {
  const changes = new Map<string, PeerChange>()
  for (const channelId of channelIds) {
    const userIds = (peers.get(channelId) ?? []).map(({ user }) => user.id).sort(ascending)
    const alike = changes.get(userIds.join())
    if (alike === undefined) changes.set(userIds.join(), { channelIds: [channelId], userIds })
    else alike.channelIds.push(channelId)
  }
  return [...changes.values()]
}

const ascending = (one: number, other: number) => one - other
