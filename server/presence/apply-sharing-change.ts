import type { Actor } from '#people/users/user.ts'
import type { Transaction } from '#storage/storage.ts'
import { findFullPresenceAudience } from './audience.ts'
import type { PresenceBoard } from './board.ts'
import { emitPresence } from './events.ts'
import { toPresencePerson } from './person.ts'
import { applyReport, type PresenceTimes, timesWhenSharingStops } from './presence.ts'
import type { RealmBoard } from './realm-board.ts'

/**
 * Saves and emits the presence of a user who starts or stops sharing it. A user who starts sharing becomes active for
 * other users, unless `isPresent` is false. A user who stops sharing becomes offline for them. Call this in the
 * transaction that changes `presence_enabled`. Load the board before the transaction (`await
 * call.presence.forRealm(user.realmId)`), because loading it inside would wait for the transaction itself.
 */
export async function applySharingChange(
  tx: Transaction,
  { presence, board }: { presence: PresenceBoard; board: RealmBoard },
  user: Actor,
  isSharing: boolean,
  { isPresent = true } = {},
): Promise<void> {
  const change = (before: PresenceTimes | null) =>
    !isSharing ? timesWhenSharingStops(before, tx.now) : isPresent ? applyReport(before, 'active', tx.now).times : null

  const before = await presence.findTimes(tx, board, user.id)
  const times = change(before)
  const emitted = times ?? (isSharing ? before : null)
  if (emitted === null) return
  await emitPresence(tx, user, emitted, tx.now, await findFullPresenceAudience(tx.db, user, tx.now))
  if (times === null) return
  const updateId = await presence.saveTimes(tx, board, user.id, times)
  tx.afterCommit(() => presence.recordCommitted(board, toPresencePerson(user), updateId, change))
}
