import type { Actor } from '../../../people/users/user.ts'
import type { Transaction } from '../../../platform/storage/storage.ts'
import type { Channel } from '../../channel.ts'
import { type SubscribeRequest, type SubscribeResult, subscribe } from '../subscribe.ts'
import { announceChannels } from './announce-channels.ts'
import { channelList, notifyOthers } from './change-notices.ts'

type JoinRequest = Omit<SubscribeRequest, 'messagesFollow'> & {
  /** Whether the public ones among the channels that are made are announced. */
  announces: boolean
}

/**
 * Subscribes, tells people whom somebody else has brought into channels that were there before, and announces channels
 * that are new.
 */
export async function joinChannels(
  tx: Transaction,
  actor: Actor,
  { announces, ...request }: JoinRequest,
): Promise<SubscribeResult> {
  const outcome = await subscribe(tx, actor, { ...request, messagesFollow: announces })
  const { subscribed, created } = outcome
  const toOlder = subscribed.filter(({ channel }) => !created.includes(channel))
  const mention = `@**${actor.fullName}|${actor.id}**`
  await notifyOthers(tx, actor, toOlder, { mention, write: subscriptionNotice, isMailed: true })
  if (announces) await announceChannels(tx, actor, created)
  return outcome
}

const subscriptionNotice = (who: string, channels: readonly Channel[]) =>
  `${who} subscribed you to ${channelList(channels)}`
