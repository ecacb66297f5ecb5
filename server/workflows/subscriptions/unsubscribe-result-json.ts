import { z } from 'zod'
import type { UserChannelPair } from '#channels/subscriptions/subscription.ts'
import type { UnsubscribeResult } from '#channels/subscriptions/unsubscribe.ts'

export const unsubscribeResultFields = {
  removed: z.array(z.string()).describe('Names of the channels that were left, once for each user who left.'),
  not_removed: z
    .array(z.string())
    .describe('Names of the channels that users were not subscribed to, once for each user.'),
}

export function toUnsubscribeResultJson({ removed, notRemoved }: UnsubscribeResult): {
  removed: string[]
  not_removed: string[]
} {
  return { removed: removed.map(nameOf), not_removed: notRemoved.map(nameOf) }
}

const nameOf = ({ channel }: UserChannelPair) => channel.name
