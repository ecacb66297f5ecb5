import { type Actor, isBot, isSpectator, type User } from '#people/users.ts'
import type { Realm } from '#realms/realm.ts'
import { type GroupSetting, type RealmPermissionName, realmSettingDeclarations } from '#realms/realm-settings.ts'
import { isGuest, type PermissionScope } from '#rules/role.ts'
import { idsIn } from '#storage/sql.ts'
import type { Db, LargeReads } from '#storage/storage.ts'
import { isInSystemGroup, type RealmGroups } from './group.ts'
import { findRealmGroups } from './queries.ts'

// The actor of a call and everything that decides what they may see and do: membership in groups, permissions of the
// organization, and the users who are visible to a limited guest. A viewer reads each of these once at most, so
// functions pass it on instead of reading again.

/**
 * The data that decides group membership: the organization's groups, its waiting period in days, and the current time.
 */
export type MembershipScope = PermissionScope<Candidate, GroupSetting> & {
  groups: RealmGroups
  waitingPeriodDays: number
  now: number
}

/** The fields of an account that decide membership. */
export type Candidate = { id: number; role: number; joinedAt: number }

/**
 * Returns whether the user is in the group, directly or through a nested subgroup. Deactivated groups keep their
 * members.
 */
export function isInGroup(scope: MembershipScope, user: Candidate, groupId: number): boolean {
  const pending = [groupId]
  const seen = new Set(pending)
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    const group = scope.groups.byId.get(id)
    if (group === undefined) continue
    if (group.systemName !== null) {
      if (isInSystemGroup(group.systemName, user, scope.waitingPeriodDays, scope.now)) return true
      continue
    }
    if (group.memberIds.has(user.id)) return true
    for (const subgroupId of group.subgroupIds) {
      if (seen.has(subgroupId)) continue
      seen.add(subgroupId)
      pending.push(subgroupId)
    }
  }
  return false
}

/** Returns whether the setting includes the user, directly or through a group. */
export function isInSetting(scope: MembershipScope, user: Candidate, setting: GroupSetting): boolean {
  if (typeof setting === 'string') return isInSystemGroup(setting, user, scope.waitingPeriodDays, scope.now)
  if (typeof setting === 'number') return isInGroup(scope, user, setting)
  return setting.direct_members.includes(user.id) || setting.direct_subgroups.some((id) => isInGroup(scope, user, id))
}

/** Loads the data that `isInSetting` needs for the actor's organization. */
export async function findMembershipScope(
  db: Db,
  actor: Pick<Actor, 'realmId' | 'realm'>,
  now: number,
): Promise<MembershipScope> {
  return membershipScope(await findRealmGroups(db, actor.realmId), actor.realm, now)
}

/** Returns the scope of an organization whose groups are already loaded. */
export function membershipScope(groups: RealmGroups, realm: Realm, now: number): MembershipScope {
  const scope: MembershipScope = {
    groups,
    waitingPeriodDays: realm.settings.waiting_period_threshold,
    now,
    includes: (user, setting) => isInSetting(scope, user, setting),
  }
  return scope
}

/**
 * Returns whether the actor has a permission of the organization. Owners and administrators are not exempt. If a
 * permission cannot be given to `role:everyone`, guests never have it.
 */
export function hasPermission(scope: MembershipScope, actor: Actor, permission: RealmPermissionName): boolean {
  const { excludes } = realmSettingDeclarations[permission]
  if (isGuest(actor) && excludes.includes('role:everyone')) return false
  return isInSetting(scope, actor, actor.realm.settings[permission])
}

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
async function findConnectedUserIds(db: Db, userId: number): Promise<ReadonlySet<number>> {
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

/**
 * The actor of a call, with the data that determines what the actor may see and do. Each part is read when it is first
 * needed, and only once. Functions therefore pass the viewer on instead of creating another. A transaction creates its
 * viewer after locking the data, and creates a new one after changing the data.
 */
export class Viewer {
  readonly db: Db
  readonly actor: Actor
  readonly now: number
  /** True for a visitor without an account, who has no permission and may read only what is open to spectators. */
  readonly isSpectator: boolean
  #largeReads: LargeReads | null = null
  #scope: Promise<MembershipScope> | null = null
  #visibleIds: Promise<ReadonlySet<number> | null> | null = null

  constructor(db: Db, actor: Actor, now: number) {
    this.db = db
    this.actor = actor
    this.now = now
    this.isSpectator = isSpectator(actor)
  }

  /** Access for large reads, which a replica may run. */
  get largeReads(): LargeReads {
    this.#largeReads ??= this.db.largeReads()
    return this.#largeReads
  }

  /** Returns the data that decides which groups and settings include a user of the actor's organization. */
  scope(): Promise<MembershipScope> {
    this.#scope ??= this.#findScope()
    return this.#scope
  }

  async #findScope(): Promise<MembershipScope> {
    const scope = await findMembershipScope(this.db, this.actor, this.now)
    return this.isSpectator ? { ...scope, includes: () => false } : scope
  }

  /** Returns whether the actor has a permission of the organization. */
  async has(permission: RealmPermissionName): Promise<boolean> {
    return !this.isSpectator && hasPermission(await this.scope(), this.actor, permission)
  }

  /**
   * Returns the ids of the users that the actor may see; null for all users. Only guests are limited: they may see
   * themselves and users with whom they share a direct conversation or a channel that is not archived. A spectator sees
   * nobody but the senders of messages.
   */
  visibleIds(): Promise<ReadonlySet<number> | null> {
    this.#visibleIds ??= this.#findVisibleIds()
    return this.#visibleIds
  }

  async #findVisibleIds(): Promise<ReadonlySet<number> | null> {
    if (this.isSpectator) return new Set()
    if (!isGuest(this.actor) || (await this.has('can_access_all_users_group'))) return null
    return findConnectedUserIds(this.db, this.actor.id)
  }
}

export const viewerOf = (db: Db, actor: Actor, now: number): Viewer => new Viewer(db, actor, now)
