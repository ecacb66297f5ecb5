import type { Transaction } from '../../storage/storage.ts'
import type { Actor } from '../../users/user.ts'
import { type SubscribeOutcome, type SubscribeRequest, subscribe } from '../subscribe.ts'
import { channelList, tellOthers } from './change-notices.ts'

/** Subscribes, and tells people whom somebody else has brought into channels that were there before. */
export async function joinChannels(
  tx: Transaction,
  actor: Actor,
  request: SubscribeRequest,
): Promise<SubscribeOutcome> {
  const outcome = await subscribe(tx, actor, request)
  const { subscribed, created } = outcome
  const toOlder = subscribed.filter(({ channel }) => !created.includes(channel))
  const who = `@**${actor.fullName}|${actor.id}**`
  await tellOthers(tx, actor, toOlder, (channels) => `${who} subscribed you to ${channelList(channels)}`)
  return outcome
}
