import { findMembershipScope, isInSetting } from '../groups/membership.ts'
import { findVisibleUserIds } from '../groups/visible-users.ts'
import { type Actor, apiEmail, isBot, isVisible, type User } from '../people/users/user.ts'
import { refusal } from '../platform/errors/refusal.ts'
import type { Db } from '../platform/storage/storage.ts'
import { findDirectConversation } from './sending/direct-conversations.ts'

export const recipientDeactivated = refusal('BAD_REQUEST', 400, "'{email}' is no longer using Parley.")
export const recipientUnknown = refusal(
  'BAD_REQUEST',
  400,
  'You do not have permission to access some of the recipients.',
)
export const directMessagesDisabled = refusal('BAD_REQUEST', 400, 'Direct messages are disabled in this organization.')
export const nobodyAuthorizes = refusal(
  'BAD_REQUEST',
  400,
  'This conversation does not include any users who can authorize it.',
)
export const mayNotInitiate = refusal(
  'BAD_REQUEST',
  400,
  'You do not have permission to initiate direct message conversations.',
)

/** Refuses unless the actor may know of all these people. */
export async function requireMayKnow(db: Db, actor: Actor, people: readonly User[], now: number): Promise<void> {
  const visibleIds = await findVisibleUserIds(db, actor, now)
  const isHidden = (user: User) => user.realmId === actor.realmId && !isVisible(visibleIds, user)
  if (people.some(isHidden)) throw recipientUnknown()
}

/** Refuses unless the actor may write to all these people, themselves among them or not, in one conversation. */
export async function requireMayMessage(db: Db, actor: Actor, people: readonly User[], now: number): Promise<void> {
  await requireMayKnow(db, actor, people, now)
  const left = people.find((user) => user.deactivatedAt !== null)
  if (left !== undefined) throw recipientDeactivated({ email: apiEmail(left, actor.realm, db.settings.EXTERNAL_URL) })
  const others = people.filter((user) => user.id !== actor.id && !isBot(user))
  if (others.length > 0) await requireAuthorized(db, actor, people, now)
}

/** What people write to themselves and to bots needs nobody's authority. */
async function requireAuthorized(db: Db, actor: Actor, people: readonly User[], now: number): Promise<void> {
  const { direct_message_permission_group: authorities, direct_message_initiator_group: initiators } =
    actor.realm.settings
  const scope = await findMembershipScope(db, actor, now)
  if (authorities === 'role:nobody' || authorities === scope.groups.systemId['role:nobody'])
    throw directMessagesDisabled()
  if (![actor, ...people].some((user) => isInSetting(scope, user, authorities))) throw nobodyAuthorizes()
  if (isInSetting(scope, actor, initiators)) return
  const ids = new Set([actor.id, ...people.map((user) => user.id)])
  if ((await findDirectConversation(db, actor.realmId, [...ids])) === null) throw mayNotInitiate()
}
