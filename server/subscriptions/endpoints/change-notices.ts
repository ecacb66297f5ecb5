import type { Channel } from '../../channels/channel.ts'
import { channelLink } from '../../messages/sending/names.ts'
import { prepareNotices } from '../../messages/sending/notices.ts'
import { saveMessages } from '../../messages/sending/send-message.ts'
import type { Transaction } from '../../storage/storage.ts'
import { type Actor, isBot } from '../../users/user.ts'
import { withSameChannels } from '../same-channels.ts'
import type { Pair } from '../subscription.ts'

/** One direct message for each person but the actor, however many channels it is about; bots get none. */
export async function tellOthers(
  tx: Transaction,
  actor: Actor,
  changed: readonly Pair[],
  write: (channels: readonly Channel[]) => string,
): Promise<void> {
  const byOthers = changed.filter(({ user }) => user.id !== actor.id && !isBot(user))
  for (const { userIds, channels } of withSameChannels(byOthers)) {
    const content = write(channels)
    await saveMessages(tx, await prepareNotices(tx.db, { recipientIds: userIds, content }))
  }
}

/** The end of a sentence that names the channels. */
export function channelList(channels: readonly Channel[]): string {
  const names = channels.map(channelLink)
  return names.length === 1 ? `the channel ${names[0]}.` : `these channels:\n\n* ${names.join('\n* ')}`
}
