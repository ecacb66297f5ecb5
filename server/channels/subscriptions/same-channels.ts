import type { Channel } from '../channel.ts'
import type { Pair } from './subscription.ts'

/** People and channels, each of the people with each of the channels. */
export type Party = { userIds: number[]; channels: readonly Channel[] }

/** The pairs, with people who have the same channels put together. */
export function withSameChannels(pairs: readonly Pair[]): Party[] {
  const parties = new Map<string, Party>()
  for (const [userId, ofUser] of Map.groupBy(pairs, ({ user }) => user.id)) {
    const channels = ofUser.map(({ channel }) => channel)
    const key = channels.map((channel) => channel.id).join()
    const party = parties.get(key)
    if (party === undefined) parties.set(key, { userIds: [userId], channels })
    else party.userIds.push(userId)
  }
  return [...parties.values()]
}
