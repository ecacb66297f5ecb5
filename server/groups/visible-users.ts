import { isBot, type User } from '#people/users/user.ts'
import type { Realm } from '#realms/realm.ts'
import { isGuest } from '#rules/role.ts'
import { idsIn } from '#storage/json-list.ts'
import type { Db } from '#storage/storage.ts'
import { type Candidate, findMembershipScope, isInSetting } from './membership.ts'

type Ids = ReturnType<typeof idsIn>

/**
 * Returns the ids of those of the `people` who may not see `user`. All of them are guests. Bots are visible to
 * everyone.
 */
export async function findNonViewerIds(
  db: Db,
  realm: Realm,
  user: User,
  people: readonly Candidate[],
  now: number,
): Promise<ReadonlySet<number>> {
  if (isBot(user)) return new Set()
  const limited = await findLimitedGuests(db, realm, people, now)
  if (limited.length === 0) return new Set()
  const connections = await findConnectedUserIds(db, user.id)
  return new Set(limited.map((person) => person.id).filter((id) => !connections.has(id)))
}

/** Returns those of the people who may not see all users. All of them are guests. */
export async function findLimitedGuests<Person extends Candidate>(
  db: Db,
  realm: Realm,
  people: readonly Person[],
  now: number,
): Promise<Person[]> {
  const setting = realm.settings.can_access_all_users_group
  if (setting === 'role:everyone') return []
  const scope = await findMembershipScope(db, { realmId: realm.id, realm }, now)
  return people.filter((person) => isGuest(person) && !isInSetting(scope, person, setting))
}

/**
 * Returns, for each guest, the users among `userIds` to whom the guest is connected: they share a direct conversation
 * or a channel that is not archived. Guests are connected to themselves.
 */
export async function findConnectionsAmong(
  db: Db,
  guestIds: readonly number[],
  userIds: readonly number[],
): Promise<ReadonlyMap<number, ReadonlySet<number>>> {
  const [guests, users] = [guestIds, userIds].map((ids) => idsIn(db.dialect, JSON.stringify(ids))) as [Ids, Ids]
  const rows = await db
    .selectFrom('subscriptions as own')
    .innerJoin('channels', 'channels.id', 'own.channelId')
    .innerJoin('subscriptions as others', 'others.channelId', 'own.channelId')
    .select(['own.userId as guestId', 'others.userId'])
    .where('own.userId', 'in', guests)
    .where('others.userId', 'in', users)
    .where('own.unsubscribedAt', 'is', null)
    .where('others.unsubscribedAt', 'is', null)
    .where('channels.archivedAt', 'is', null)
    .union(
      db
        .selectFrom('conversationMembers as own')
        .innerJoin('conversationMembers as others', 'others.conversationId', 'own.conversationId')
        .select(['own.userId as guestId', 'others.userId'])
        .where('own.userId', 'in', guests)
        .where('others.userId', 'in', users),
    )
    .execute()
  const connections = new Map(guestIds.map((id) => [id, new Set(userIds.filter((userId) => userId === id))]))
  for (const { guestId, userId } of rows) connections.get(guestId)?.add(userId)
  return connections
}

/**
 * Returns the ids of the user and of all users to whom the user is connected: they share a direct conversation or a
 * channel that is not archived.
 */
export async function findConnectedUserIds(db: Db, userId: number): Promise<ReadonlySet<number>> {
  const rows = await db
    .selectFrom('subscriptions as own')
    .innerJoin('channels', 'channels.id', 'own.channelId')
    .innerJoin('subscriptions as others', 'others.channelId', 'own.channelId')
    .select('others.userId')
    .where('own.userId', '=', userId)
    .where('own.unsubscribedAt', 'is', null)
    .where('others.unsubscribedAt', 'is', null)
    .where('channels.archivedAt', 'is', null)
    .union(
      db
        .selectFrom('conversationMembers as own')
        .innerJoin('conversationMembers as others', 'others.conversationId', 'own.conversationId')
        .select('others.userId')
        .where('own.userId', '=', userId),
    )
    .execute()
  return new Set([userId, ...rows.map((row) => row.userId)])
}
