import { z } from 'zod'
import type { SubscribeUsersResult } from '#channels/subscriptions/subscribe-users.ts'
import type { UserChannelPair } from '#channels/subscriptions/subscription.ts'

const namesByUser = z.record(z.string(), z.array(z.string()))

export const subscribeResultFields = {
  subscribed: namesByUser.describe('Names of the channels joined, by user id.'),
  already_subscribed: namesByUser.describe('Names of the channels that users were already subscribed to, by user id.'),
}

type NamesByUser = Record<string, string[]>

export function toSubscribeResultJson({ subscribed, alreadySubscribed: already }: SubscribeUsersResult): {
  subscribed: NamesByUser
  already_subscribed: NamesByUser
} {
  return { subscribed: toNames(subscribed), already_subscribed: toNames(already) }
}

function toNames(pairs: readonly UserChannelPair[]): NamesByUser {
  const names: NamesByUser = {}
  for (const { user, channel } of pairs) {
    names[user.id] ??= []
    names[user.id]?.push(channel.name)
  }
  return names
}
