import { findActiveUsers } from '#channels/audience.ts'
import { findNonViewerIds } from '#groups/viewer.ts'
import { findActiveUserIds } from '#people/user-queries.ts'
import { type Actor, apiEmail, placeholderEmail } from '#people/users.ts'
import type { Db, RunTransaction, Transaction } from '#storage/storage.ts'
import type { PresenceBoard, RealmBoard } from './board.ts'
import {
  applyReport,
  type PresenceEntry,
  type PresenceStatus,
  type PresenceTimes,
  timesWhenSharingStops,
  toPresencePerson,
  toWebsitePresenceJson,
} from './presence.ts'
import { findFirstActiveUserIds } from './queries.ts'

// Changes of presence: reports of clients, and starting or stopping to share. A report goes to the board at once; an
// event is only sent when a user comes online, and only to an audience of limited size.

/** Returns the hidden presence that is to be shown again next; null if there is none. */
export async function findNextHiddenPresence(
  db: Db,
): Promise<{ userId: number; realmId: number; dueAt: number } | null> {
  const row = await db
    .selectFrom('hiddenPresences')
    .innerJoin('users', 'users.id', 'hiddenPresences.userId')
    .select(['hiddenPresences.userId', 'hiddenPresences.endsAt as dueAt', 'users.realmId'])
    .orderBy('hiddenPresences.endsAt')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}

/**
 * If the time at which the user's presence is shown again has passed, deletes it and returns true. Waits for a
 * concurrent change of the time.
 */
export async function deleteEndedHiddenPresence(tx: Transaction, userId: number): Promise<boolean> {
  const rows = await tx
    .deleteFrom('hiddenPresences')
    .where('userId', '=', userId)
    .where('endsAt', '<=', tx.now)
    .returning('userId')
    .execute()
  return rows.length > 0
}

/** Saves the time at which the user's presence will be shown again. If `endsAt` is null, deletes a saved time. */
export async function saveHiddenPresence(tx: Transaction, userId: number, endsAt: number | null): Promise<void> {
  if (endsAt === null) {
    await tx.deleteFrom('hiddenPresences').where('userId', '=', userId).execute()
    return
  }
  await tx
    .insertInto('hiddenPresences')
    .values({ userId, endsAt })
    .onConflict((on) => on.column('userId').doUpdateSet({ endsAt }))
    .execute()
}

/**
 * The maximum number of recipients of an event when a user comes online. For a larger audience, no event is sent:
 * clients poll, and show the change within a minute.
 */
const MAX_AUDIENCE = 100

/**
 * Returns the ids of the users who receive an event when `user` comes online; empty if the audience would be too large.
 */
async function findPresenceAudience(db: Db, user: Actor, now: number): Promise<readonly number[]> {
  if (user.realm.settings.presence_disabled) return []
  const audience = db.settings.CAN_ACCESS_ALL_USERS_GROUP_LIMITS_PRESENCE
    ? await findUsersWhoCanSee(db, user, now)
    : await findFirstActiveUserIds(db, user.realmId)
  return audience.length > MAX_AUDIENCE ? [] : audience
}

/**
 * Returns the ids of the users who receive an event when `user` starts or stops sharing their presence. Their number is
 * not limited.
 */
async function findFullPresenceAudience(db: Db, user: Actor, now: number): Promise<readonly number[]> {
  if (user.realm.settings.presence_disabled) return []
  return db.settings.CAN_ACCESS_ALL_USERS_GROUP_LIMITS_PRESENCE
    ? findUsersWhoCanSee(db, user, now)
    : findActiveUserIds(db, user.realmId)
}

/** Returns the ids of all active users, except the guests who may not see `user`. */
async function findUsersWhoCanSee(db: Db, user: Actor, now: number): Promise<number[]> {
  const { all, ids } = await findActiveUsers(db, user.realmId)
  const nonViewerIds = await findNonViewerIds(db, user.realm, user, all, now)
  return ids.filter((id) => !nonViewerIds.has(id))
}

/** Emits a user's presence to the audience. Guests who may not see the user get no email address. */
async function emitPresence(
  tx: Transaction,
  user: Actor,
  times: PresenceTimes,
  now: number,
  audience: readonly number[],
): Promise<void> {
  const recipients = new Set(audience)
  const { all } = await findActiveUsers(tx.db, user.realmId)
  const people = all.filter((person) => recipients.has(person.id))
  const nonViewerIds = await findNonViewerIds(tx.db, user.realm, user, people, now)
  const { EXTERNAL_URL } = tx.db.settings
  tx.emit(
    user.realmId,
    presenceEvent(user, times, now, apiEmail(user, user.realm, EXTERNAL_URL)),
    recipients.difference(nonViewerIds),
  )
  tx.emit(
    user.realmId,
    presenceEvent(user, times, now, placeholderEmail(user.id, user.realm, EXTERNAL_URL)),
    nonViewerIds,
  )
}

/** Returns the event, which always has the older format. */
function presenceEvent(user: Actor, times: PresenceTimes, now: number, email: string) {
  return {
    type: 'presence',
    user_id: user.id,
    email,
    server_timestamp: now,
    presence: { website: { ...toWebsitePresenceJson(times, user.joinedAt), pushable: false } },
  } as const
}

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
