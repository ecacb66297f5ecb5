import type { Actor } from '../people/users/user.ts'
import type { Db, RunTransaction } from '../platform/storage/storage.ts'
import { findPresenceAudience } from './audience.ts'
import type { PresenceBoard } from './board.ts'
import type { PresenceEntry } from './entry.ts'
import { emitPresence } from './events.ts'
import { toPresencePerson } from './person.ts'
import { applyReport, type PresenceStatus } from './presence.ts'
import type { RealmBoard } from './realm-board.ts'

type Services = { db: Db; transaction: RunTransaction; presence: PresenceBoard }

/**
 * Puts a report on the board. One that raises an event is durable, with its event, when this resolves; any other within
 * a second. Reports of people who do not share their presence change nothing.
 */
export async function reportPresence(
  services: Services,
  actor: Actor,
  status: PresenceStatus,
  now: number,
): Promise<void> {
  if (!actor.settings.presence_enabled) return
  const { presence } = services
  const board = await presence.forRealm(actor.realmId)
  // It may know of a change that came after the actor was read.
  if (board.find(actor.id)?.person.isSharing === false) return
  for (;;) {
    const before = presence.findLatest(board, actor.id)
    const { times, raisesEvent: isNews } = applyReport(before, status, now)
    const entry = times === null ? before : presence.record(board, before?.person ?? toPresencePerson(actor), times)
    if (entry !== null) {
      if (isNews || board.pendingEventUserIds.has(actor.id)) await emitReport(services, board, actor, entry, now)
      return
    }
    await presence.reserveIds(board)
  }
}

async function emitReport(
  services: Services,
  board: RealmBoard,
  actor: Actor,
  entry: PresenceEntry,
  now: number,
): Promise<void> {
  const { db, transaction, presence } = services
  board.pendingEventUserIds.delete(actor.id)
  let isTold = false
  try {
    const hearers = await findPresenceAudience(db, actor, now)
    if (hearers.length > 0) {
      await transaction(async (tx) => {
        if (await presence.saveEntry(tx, board, entry)) await emitPresence(tx, actor, entry, now, hearers)
      })
      presence.markWritten(board, entry)
    }
    isTold = true
  } finally {
    if (!isTold) board.pendingEventUserIds.add(actor.id)
  }
}
