import type { Realm } from '../../realms/realm.ts'
import type { Transaction } from '../../storage/storage.ts'
import { Flag, MENTION_FLAGS } from '../flags/flag.ts'
import type { Receivers } from '../sending/deliver.ts'
import { AWAY_AFTER } from './presence.ts'
import { findChannelListeners, findFollowers, findReaders, type Reader, saveNotes } from './queries.ts'
import type { Spot } from './spot.ts'
import { wantsMail } from './wants-mail.ts'

/** What is told of; `senderId` is who wrote it or put a mention into it, and is not told. */
type Sent = { realm: Realm; messageId: number; senderId: number; spot: Spot }

/**
 * Notes that those are to be told by mail who are away and want that, at the end of the time that each of them waits
 * for more. Without a statement where nobody comes into question.
 */
export async function noteMissed(tx: Transaction, sent: Sent, receivers: Receivers): Promise<void> {
  const flagsOf = await findCandidates(tx, sent, receivers)
  if (flagsOf.size === 0) return
  const readers = await findReaders(tx.db, [...flagsOf.keys()], sent.spot, tx.now)
  const missing = readers.filter(
    (reader) =>
      wantsMail(reader, flagsOf.get(reader.id) ?? 0, sent.spot === null) && isAway(reader, sent.realm, tx.now),
  )
  const { messageId } = sent
  saveNotes(
    tx,
    missing.map(({ id, settings }) => ({
      userId: id,
      messageId,
      dueAt: tx.now + settings.email_notifications_batching_period_seconds,
    })),
  )
}

/** The flags of those who may want mail about the message. */
async function findCandidates(
  tx: Transaction,
  { senderId, spot }: Sent,
  receivers: Receivers,
): Promise<Map<number, number>> {
  const candidates = new Map<number, number>()
  for (const [flags, holders] of receivers) {
    if (flags & Flag.read) continue
    const isForAll = spot === null || (flags & MENTION_FLAGS) !== 0
    const [listeners, followers] = isForAll
      ? []
      : [await findChannelListeners(tx.db, spot.channelId), await findFollowers(tx.db, spot)]
    for (const userId of holders) {
      if (userId === senderId) continue
      if (isForAll || listeners?.has(userId) || followers?.has(userId)) candidates.set(userId, flags)
    }
  }
  return candidates
}

/** Where presence is switched off, whoever has a client connected is there. */
function isAway({ isConnected, lastActiveAt }: Reader, realm: Realm, now: number): boolean {
  if (!isConnected) return true
  if (realm.settings.presence_disabled) return false
  return lastActiveAt === null || now - lastActiveAt > AWAY_AFTER
}
