import type { Actor, User } from '#people/users/user.ts'
import type { Realm } from '#realms/realm.ts'

/**
 * The sender of a message, and the organization in which the message is sent. Only system bots send outside their own
 * organization.
 */
export type Author = { user: User; realm: Realm }

export function authorOf(actor: Actor): Author {
  return { user: actor, realm: actor.realm }
}

/** Returns true for system bots, which are not restricted by permissions. */
export function isSystemBot({ user, realm }: Author): boolean {
  return user.realmId !== realm.id
}

/** Returns the author as an actor, for permission checks. */
export function actorOf({ user, realm }: Author): Actor {
  return { ...user, realm }
}
