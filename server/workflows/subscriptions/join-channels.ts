import type { Channel } from '#channels/channel.ts'
import { type SubscribeRequest, type SubscribeResult, subscribe } from '#channels/subscriptions/subscribe.ts'
import type { Actor } from '#people/users/user.ts'
import type { Transaction } from '#storage/storage.ts'
import { announceChannels } from './announce-channels.ts'
import { channelList, notifyOthers } from './notify-others.ts'

type JoinRequest = Omit<SubscribeRequest, 'sendsMessages'> & {
  /** True if new public channels are announced. */
  announces: boolean
}

/**
 * Subscribes users to channels, and announces new channels. Notifies users whom someone else added to existing
 * channels.
 */
export async function joinChannels(
  tx: Transaction,
  actor: Actor,
  { announces, ...request }: JoinRequest,
): Promise<SubscribeResult> {
  const result = await subscribe(tx, actor, { ...request, sendsMessages: announces })
  const { subscribed, created } = result
  const toExistingChannels = subscribed.filter(({ channel }) => !created.includes(channel))
  const mention = `@**${actor.fullName}|${actor.id}**`
  await notifyOthers(tx, actor, toExistingChannels, { mention, write: subscriptionNotice, isMailed: true })
  if (announces) await announceChannels(tx, actor, created)
  return result
}

const subscriptionNotice = (who: string, channels: readonly Channel[]) =>
  `${who} subscribed you to ${channelList(channels)}`
