import { findActiveUsers } from '#channels/audience.ts'
import { findNonViewerIds } from '#groups/viewer.ts'
import { findActiveUserIds } from '#people/user-queries.ts'
import { type Actor, apiEmail, placeholderEmail } from '#people/users.ts'
import type { Db, EmittedOfType, Storage, Transaction } from '#storage/storage.ts'
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
// event is only published when a user comes online, and only to an audience of limited size.

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

/**
 * Returns the events with a user's presence for the audience, and who receives each of them. Guests who may not see the
 * user get no email address.
 */
async function presenceEvents(
  db: Db,
  user: Actor,
  times: PresenceTimes,
  now: number,
  audience: readonly number[],
): Promise<[PresenceEvent, ReadonlySet<number>][]> {
  const recipients = new Set(audience)
  const { all } = await findActiveUsers(db, user.realmId)
  const people = all.filter((person) => recipients.has(person.id))
  const nonViewerIds = await findNonViewerIds(db, user.realm, user, people, now)
  const { EXTERNAL_URL } = db.settings
  return [
    [presenceEvent(user, times, now, apiEmail(user, user.realm, EXTERNAL_URL)), recipients.difference(nonViewerIds)],
    [presenceEvent(user, times, now, placeholderEmail(user.id, user.realm, EXTERNAL_URL)), nonViewerIds],
  ]
}

type PresenceEvent = EmittedOfType<'presence'>

/** Returns the event, which always has the older format. */
function presenceEvent(user: Actor, times: PresenceTimes, now: number, email: string): PresenceEvent {
  return {
    type: 'presence',
    user_id: user.id,
    email,
    server_timestamp: now,
    presence: { website: { ...toWebsitePresenceJson(times, user.joinedAt), pushable: false } },
  }
}

type Services = Pick<Storage, 'db' | 'transaction' | 'publish'> & { presence: PresenceBoard }

/**
 * Puts a report on the board, and publishes the event that it raises. The report is durable within a second. Reports of
 * users who do not share their presence change nothing.
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
      if (raisesEvent) await publishReport(services, board, actor, entry, now)
      return
    }
    await presence.reserveIds(board)
  }
}

async function publishReport(
  { db, transaction, publish, presence }: Services,
  board: RealmBoard,
  actor: Actor,
  entry: PresenceEntry,
  now: number,
): Promise<void> {
  const audience = await findPresenceAudience(db, actor, now)
  if (audience.length === 0) return
  const events = await presenceEvents(db, actor, entry, now, audience)
  if (!(await presence.confirm(transaction, board, entry))) return
  for (const [event, recipients] of events) publish(actor.realmId, event, recipients)
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
  const audience = await findFullPresenceAudience(tx.db, user, tx.now)
  for (const [event, recipients] of await presenceEvents(tx.db, user, emitted, tx.now, audience))
    tx.emit(user.realmId, event, recipients)
  if (times === null) return
  const updateId = await presence.saveTimes(tx, board, user.id, times)
  tx.afterCommit(() => presence.recordCommitted(board, toPresencePerson(user), updateId, change))
}
