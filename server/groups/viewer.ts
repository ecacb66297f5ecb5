import type { Actor } from '#people/users/user.ts'
import type { RealmPermissionName } from '#realms/settings.ts'
import { isGuest } from '#rules/role.ts'
import type { Db } from '#storage/storage.ts'
import { findMembershipScope, hasPermission, type MembershipScope } from './membership.ts'
import { findConnectedUserIds } from './visible-users.ts'

/**
 * The actor of a call, with the data that determines what the actor may see and do. Each part is read when it is first
 * needed, and only once. Functions therefore pass the viewer on instead of creating another. A transaction creates its
 * viewer after locking the data, and creates a new one after changing the data.
 */
export class Viewer {
  readonly db: Db
  readonly actor: Actor
  readonly now: number
  #scope: Promise<MembershipScope> | null = null
  #visibleIds: Promise<ReadonlySet<number> | null> | null = null

  constructor(db: Db, actor: Actor, now: number) {
    this.db = db
    this.actor = actor
    this.now = now
  }

  /** Returns the data that decides which groups and settings include a user of the actor's organization. */
  scope(): Promise<MembershipScope> {
    this.#scope ??= findMembershipScope(this.db, this.actor, this.now)
    return this.#scope
  }

  /** Returns whether the actor has a permission of the organization. */
  async has(permission: RealmPermissionName): Promise<boolean> {
    return hasPermission(await this.scope(), this.actor, permission)
  }

  /**
   * Returns the ids of the users that the actor may see; null for all users. Only guests are limited: they may see
   * themselves and users with whom they share a direct conversation or a channel that is not archived.
   */
  visibleIds(): Promise<ReadonlySet<number> | null> {
    this.#visibleIds ??= this.#findVisibleIds()
    return this.#visibleIds
  }

  async #findVisibleIds(): Promise<ReadonlySet<number> | null> {
    if (!isGuest(this.actor) || (await this.has('can_access_all_users_group'))) return null
    return findConnectedUserIds(this.db, this.actor.id)
  }
}

export const viewerOf = (db: Db, actor: Actor, now: number): Viewer => new Viewer(db, actor, now)
