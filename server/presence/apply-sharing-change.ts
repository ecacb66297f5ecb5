import type { Actor } from '../people/users/user.ts'
import type { Transaction } from '../platform/storage/storage.ts'
import { findFullPresenceAudience } from './audience.ts'
import type { PresenceBoard } from './board.ts'
import { emitPresence } from './events.ts'
import { toPresencePerson } from './person.ts'
import { applyReport, type PresenceTimes, timesWhenSharingStops } from './presence.ts'
import type { RealmBoard } from './realm-board.ts'

/**
 * What follows when `user` begins or stops to share their presence: everybody is told that they are there, or offline
 * where they were not. Called in the transaction that changes `presence_enabled`, with the board fetched before it
 * (`await call.presence.of(user.realmId)`): loading one inside would wait for the transaction itself.
 */
export async function applySharingChange(
  tx: Transaction,
  { presence, board }: { presence: PresenceBoard; board: RealmBoard },
  user: Actor,
  isSharing: boolean,
): Promise<void> {
  const change = (before: PresenceTimes | null) =>
    isSharing ? applyReport(before, 'active', tx.now).times : timesWhenSharingStops(before, tx.now)

  const before = await presence.findTimes(tx, board, user.id)
  const times = change(before)
  const told = times ?? (isSharing ? before : null)
  if (told === null) return
  await emitPresence(tx, user, told, tx.now, await findFullPresenceAudience(tx.db, user, tx.now))
  if (times === null) return
  const updateId = await presence.saveTimes(tx, board, user.id, times)
  tx.afterCommit(() => presence.recordCommitted(board, toPresencePerson(user), updateId, change))
}
