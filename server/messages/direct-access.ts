import { findMembershipScope, isInSetting } from '../groups/membership.ts'
import { findVisibleUserIds } from '../groups/visible-users.ts'
import { type Actor, apiEmail, isBot, isVisible, type User } from '../people/users/user.ts'
import { refusal } from '../platform/errors/refusal.ts'
import type { Db } from '../platform/storage/storage.ts'
import { findDirectConversation } from './sending/direct-conversations.ts'

export const recipientDeactivated = refusal('BAD_REQUEST', 400, "'{email}' is no longer using Parley.")
export const recipientNotVisible = refusal(
  'BAD_REQUEST',
  400,
  'You do not have permission to access some of the recipients.',
)
export const directMessagesDisabled = refusal('BAD_REQUEST', 400, 'Direct messages are disabled in this organization.')
export const noAuthorizedParticipant = refusal(
  'BAD_REQUEST',
  400,
  'This conversation does not include any users who can authorize it.',
)
export const mayNotInitiate = refusal(
  'BAD_REQUEST',
  400,
  'You do not have permission to initiate direct message conversations.',
)

/** Refuses unless the actor may see all of these users. */
export async function requireVisibleUsers(db: Db, actor: Actor, people: readonly User[], now: number): Promise<void> {
  const visibleIds = await findVisibleUserIds(db, actor, now)
  const isHidden = (user: User) => user.realmId === actor.realmId && !isVisible(visibleIds, user)
  if (people.some(isHidden)) throw recipientNotVisible()
}

/** Refuses unless the actor may send a direct message to these users together; `people` may include the actor. */
export async function requireMayMessage(db: Db, actor: Actor, people: readonly User[], now: number): Promise<void> {
  await requireVisibleUsers(db, actor, people, now)
  const deactivated = people.find((user) => user.deactivatedAt !== null)
  if (deactivated !== undefined)
    throw recipientDeactivated({ email: apiEmail(deactivated, actor.realm, db.settings.EXTERNAL_URL) })
  const others = people.filter((user) => user.id !== actor.id && !isBot(user))
  if (others.length > 0) await requireAuthorized(db, actor, people, now)
}

/** Applies the organization's direct message settings. Notes to self and messages to bots are exempt from them. */
async function requireAuthorized(db: Db, actor: Actor, people: readonly User[], now: number): Promise<void> {
  const { direct_message_permission_group: authorities, direct_message_initiator_group: initiators } =
    actor.realm.settings
  const scope = await findMembershipScope(db, actor, now)
  if (authorities === 'role:nobody' || authorities === scope.groups.systemId['role:nobody'])
    throw directMessagesDisabled()
  if (![actor, ...people].some((user) => isInSetting(scope, user, authorities))) throw noAuthorizedParticipant()
  if (isInSetting(scope, actor, initiators)) return
  const ids = new Set([actor.id, ...people.map((user) => user.id)])
  if ((await findDirectConversation(db, actor.realmId, [...ids])) === null) throw mayNotInitiate()
}
