import { findNonViewerIds } from '../../../groups/visible-users.ts'
import { channelLink } from '../../../messages/sending/names.ts'
import { prepareNotices } from '../../../messages/sending/notices.ts'
import { saveMessages } from '../../../messages/sending/send-message.ts'
import { type Actor, isBot, UNKNOWN_USER_NAME } from '../../../people/users/user.ts'
import type { Transaction } from '../../../platform/storage/storage.ts'
import type { Channel } from '../../channel.ts'
import { groupByChannels } from '../group-by-channels.ts'
import type { UserChannelPair } from '../subscription.ts'

/** `mention` names who did it. `isMailed`: those who are away are told by mail as well. */
type ChangeNotice = {
  mention: string
  write: (who: string, channels: readonly Channel[]) => string
  isMailed: boolean
}

/**
 * One direct message for each person but the actor, however many channels it is about; bots get none. Whoever may not know
 * of the actor does not read who it was.
 */
export async function notifyOthers(
  tx: Transaction,
  actor: Actor,
  changed: readonly UserChannelPair[],
  { mention, write, isMailed }: ChangeNotice,
): Promise<void> {
  const byOthers = changed.filter(({ user }) => user.id !== actor.id && !isBot(user))
  const people = byOthers.map(({ user }) => user)
  const strangers = await findNonViewerIds(tx.db, actor.realm, actor, people, tx.now)
  for (const [isStrange, pairs] of Map.groupBy(byOthers, ({ user }) => strangers.has(user.id))) {
    for (const { userIds, channels } of groupByChannels(pairs)) {
      const content = write(isStrange ? UNKNOWN_USER_NAME : mention, channels)
      const notices = await prepareNotices(tx.db, { recipientIds: userIds, content })
      await saveMessages(
        tx,
        notices.map((notice) => ({ ...notice, isUnmailed: !isMailed })),
      )
    }
  }
}

/** The end of a sentence that names the channels. */
export function channelList(channels: readonly Channel[]): string {
  const names = channels.map(channelLink)
  return names.length === 1 ? `the channel ${names[0]}.` : `these channels:\n\n* ${names.join('\n* ')}`
}
