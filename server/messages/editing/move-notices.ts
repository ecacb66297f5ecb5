import type { Channel } from '../../channels/channel.ts'
import type { Db, Transaction } from '../../storage/storage.ts'
import type { Actor } from '../../users/user.ts'
import { topicLink } from '../sending/names.ts'
import { prepareThreadNotice, silentMention } from '../sending/notices.ts'
import { saveMessage } from '../sending/send-message.ts'
import { isResolutionChange, topicKey } from '../topic.ts'
import { changesChannel, type Move, type Thread } from './move.ts'
import { tellOfResolution } from './resolution-notices.ts'

/** Says in the threads what happened, as far as it is wanted; a resolved or reopened topic always says so. */
export async function tellOfMove(
  tx: Transaction,
  actor: Actor,
  move: Move,
  messageIds: readonly number[],
): Promise<void> {
  const { from, to } = move
  const who = silentMention(actor)
  if (!changesChannel(move) && isResolutionChange(from.topic, to.topic))
    return tellOfResolution(tx, actor, to, messageIds)
  const what = (await isEmpty(tx.db, from)) ? 'topic' : messageIds.length
  if (move.notifiesNewThread) await leaveNotice(tx, actor, to, arrival(what, who, placeName(from, to.channel)))
  if (move.notifiesOldThread) await leaveNotice(tx, actor, from, departure(what, who, placeName(to, from.channel)))
}

async function leaveNotice(tx: Transaction, actor: Actor, thread: Thread, content: string): Promise<void> {
  const notice = await prepareThreadNotice(tx.db, actor.realm, { ...thread, content })
  await saveMessage(tx, notice)
}

/** A whole topic, or so many messages of one. */
type Extent = 'topic' | number

function arrival(what: Extent, who: string, from: string): string {
  if (what === 'topic') return `${who} moved this topic here${from && ` from ${from}`}.`
  return `${who} moved ${count(what)} here${from && ` from ${from}`}.`
}

function departure(what: Extent, who: string, to: string): string {
  const whither = to || 'elsewhere'
  return what === 'topic'
    ? `${who} moved this topic${to ? ' to' : ''} ${whither}.`
    : `${who} moved ${count(what)} from this topic${to ? ' to' : ''} ${whither}.`
}

const count = (messages: number) => (messages === 1 ? 'a message' : `${messages} messages`)

/** A link to the thread; '' where those who read it may not know of its channel. */
function placeName({ channel, topic }: Thread, readIn: Channel): string {
  if (channel.isPrivate && channel.id !== readIn.id) return ''
  return topicLink(channel, topic)
}

async function isEmpty(db: Db, { channel, topic }: Thread): Promise<boolean> {
  const left = await db
    .selectFrom('messages')
    .select('id')
    .where('channelId', '=', channel.id)
    .where('topicKey', '=', topicKey(topic))
    .limit(1)
    .executeTakeFirst()
  return left === undefined
}
