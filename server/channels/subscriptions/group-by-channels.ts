import type { Channel } from '../channel.ts'
import type { UserChannelPair } from './subscription.ts'

/** People and channels, each of the people with each of the channels. */
export type UsersWithChannels = { userIds: number[]; channels: readonly Channel[] }

/** The pairs, with people who have the same channels put together. */
export function groupByChannels(pairs: readonly UserChannelPair[]): UsersWithChannels[] {
  const parties = new Map<string, UsersWithChannels>()
  for (const [userId, ofUser] of Map.groupBy(pairs, ({ user }) => user.id)) {
    const channels = ofUser.map(({ channel }) => channel)
    const key = channels.map((channel) => channel.id).join()
    const party = parties.get(key)
    if (party === undefined) parties.set(key, { userIds: [userId], channels })
    else party.userIds.push(userId)
  }
  return [...parties.values()]
}
