import type { Channel } from '../../channels/channel.ts'
import { markChannelsRead } from '../../messages/flags/mark-channels-read.ts'
import { prepareNotices, silentMention } from '../../messages/sending/notices.ts'
import { saveMessages } from '../../messages/sending/send-message.ts'
import { holdMessageIds } from '../../storage/counters.ts'
import type { Transaction } from '../../storage/storage.ts'
import { type Actor, isBot } from '../../users/user.ts'
import type { Principals } from '../principals.ts'
import { withSameChannels } from '../same-channels.ts'
import { type Departures, unsubscribe } from '../unsubscribe.ts'

/** Unsubscribes, marks what was unread in the channels as read, and tells people whom somebody else has removed. */
export async function leaveChannels(
  tx: Transaction,
  actor: Actor,
  names: readonly string[],
  principals?: Principals,
): Promise<Departures> {
  const departures = await unsubscribe(tx, actor, names, principals)
  const { removed } = departures
  if (removed.length > 0) await holdMessageIds(tx)
  const seats = removed.map(({ user, channel }) => ({ userId: user.id, channelId: channel.id }))
  await markChannelsRead(tx, actor.realmId, seats)
  await sendRemovalNotices(tx, actor, departures)
  return departures
}

/** One direct message for each person, however many channels they were removed from; bots get none. */
async function sendRemovalNotices(tx: Transaction, actor: Actor, { removed }: Departures): Promise<void> {
  if (!actor.realm.settings.send_channel_removal_notices) return
  const byOthers = removed.filter(({ user }) => user.id !== actor.id && !isBot(user))
  for (const { userIds, channels } of withSameChannels(byOthers)) {
    const content = removalNotice(actor, channels)
    await saveMessages(tx, await prepareNotices(tx.db, { recipientIds: userIds, content }))
  }
}

function removalNotice(actor: Actor, channels: readonly Channel[]): string {
  const names = channels.map((channel) => `#**${channel.name}**`)
  const what = names.length === 1 ? `the channel ${names[0]}.` : `these channels:\n\n* ${names.join('\n* ')}`
  return `${silentMention(actor)} unsubscribed you from ${what}`
}
