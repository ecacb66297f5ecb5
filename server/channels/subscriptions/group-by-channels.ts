import type { Channel } from '../channel.ts'
import type { UserChannelPair } from './subscription.ts'

/** A set of pairs of a user and a channel: every user with every channel. */
type UsersWithChannels = { userIds: number[]; channels: readonly Channel[] }

/** Groups the pairs, so that users who have the same channels are in one group. */
export function groupByChannels(pairs: readonly UserChannelPair[]): UsersWithChannels[] {
  const groups = new Map<string, UsersWithChannels>()
  for (const [userId, userPairs] of Map.groupBy(pairs, ({ user }) => user.id)) {
    const channels = userPairs.map(({ channel }) => channel)
    const key = channels.map((channel) => channel.id).join()
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { userIds: [userId], channels })
    else group.userIds.push(userId)
  }
  return [...groups.values()]
}
