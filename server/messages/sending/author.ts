import type { Realm } from '../../organizations/realms/realm.ts'
import type { Actor, User } from '../../people/users/user.ts'

/** Who writes, and in which organization: of somebody else's organization are the server's own bots alone. */
export type Author = { user: User; realm: Realm }

export function authorOf(actor: Actor): Author {
  return { user: actor, realm: actor.realm }
}

/** Whether the server itself writes, whom no permission restricts. */
export function isSystemBot({ user, realm }: Author): boolean {
  return user.realmId !== realm.id
}

/** The author as somebody whose permissions in the organization can be asked for. */
export function actorOf({ user, realm }: Author): Actor {
  return { ...user, realm }
}
