import type { Actor } from '#people/users/user.ts'
import type { Db, RunTransaction } from '#storage/storage.ts'
import { findPresenceAudience } from './audience.ts'
import type { PresenceBoard } from './board.ts'
import type { PresenceEntry } from './entry.ts'
import { emitPresence } from './events.ts'
import { toPresencePerson } from './person.ts'
import { applyReport, type PresenceStatus } from './presence.ts'
import type { RealmBoard } from './realm-board.ts'

type Services = { db: Db; transaction: RunTransaction; presence: PresenceBoard }

/**
 * Puts a report on the board. If the report raises an event, this resolves when the report and the event are durable.
 * Otherwise the report is durable within a second. Reports of users who do not share their presence change nothing.
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
  // The board may include a change of the settings that was committed after the actor was read.
  if (board.find(actor.id)?.person.isSharing === false) return
  for (;;) {
    const before = presence.findLatest(board, actor.id)
    const { times, raisesEvent } = applyReport(before, status, now)
    const entry = times === null ? before : presence.record(board, before?.person ?? toPresencePerson(actor), times)
    if (entry !== null) {
      if (raisesEvent || board.pendingEventUserIds.has(actor.id)) await emitReport(services, board, actor, entry, now)
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
  let isEmitted = false
  try {
    const audience = await findPresenceAudience(db, actor, now)
    if (audience.length > 0) {
      await transaction(async (tx) => {
        if (await presence.saveEntry(tx, board, entry)) await emitPresence(tx, actor, entry, now, audience)
      })
      presence.markWritten(board, entry)
    }
    isEmitted = true
  } finally {
    if (!isEmitted) board.pendingEventUserIds.add(actor.id)
  }
}
