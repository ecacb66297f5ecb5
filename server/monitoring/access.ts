import type { Settings } from '#config.ts'
import type { Actor } from '#people/users.ts'
import { isOwner } from '#rules/role.ts'

// Facts about the whole server are for administrators of the root organization. Where everyone can create
// organizations, only its owners, because the operator then chooses them with more care.

/** Returns whether an administrator may see facts about the whole server. */
export function maySeeServer(actor: Actor, { OPEN_REALM_CREATION, DEMO_ORGANIZATIONS }: Settings): boolean {
  if (actor.realm.subdomain !== '') return false
  return isOwner(actor) || !(OPEN_REALM_CREATION || DEMO_ORGANIZATIONS)
}
