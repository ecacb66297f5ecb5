import { isInSetting } from '#groups/membership.ts'
import type { Viewer } from '#groups/viewer.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { apiEmail, isBot, isVisible, type User } from '#people/users/user.ts'
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

export async function requireVisibleUsers(viewer: Viewer, people: readonly User[]): Promise<void> {
  const { actor } = viewer
  const visibleIds = await viewer.visibleIds()
  const isHidden = (user: User) => user.realmId === actor.realmId && !isVisible(visibleIds, user)
  if (people.some(isHidden)) throw recipientNotVisible()
}

/**
 * Refuses unless the actor may send a direct message to all of these users together. `people` may include the actor.
 */
export async function requireMayMessage(viewer: Viewer, people: readonly User[]): Promise<void> {
  const { db, actor } = viewer
  await requireVisibleUsers(viewer, people)
  const deactivated = people.find((user) => user.deactivatedAt !== null)
  if (deactivated !== undefined)
    throw recipientDeactivated({ email: apiEmail(deactivated, actor.realm, db.settings.EXTERNAL_URL) })
  const others = people.filter((user) => user.id !== actor.id && !isBot(user))
  if (others.length > 0) await requireAuthorized(viewer, people)
}

/** Applies the organization's direct message settings. Notes to self and messages to or by bots are exempt from them. */
async function requireAuthorized(viewer: Viewer, people: readonly User[]): Promise<void> {
  const { db, actor } = viewer
  if (isBot(actor)) return
  const { direct_message_permission_group: authorities, direct_message_initiator_group: initiators } =
    actor.realm.settings
  const scope = await viewer.scope()
  if (authorities === 'role:nobody' || authorities === scope.groups.systemId['role:nobody'])
    throw directMessagesDisabled()
  if (![actor, ...people].some((user) => isInSetting(scope, user, authorities))) throw noAuthorizedParticipant()
  if (isInSetting(scope, actor, initiators)) return
  const ids = new Set([actor.id, ...people.map((user) => user.id)])
  if ((await findDirectConversation(db, actor.realmId, [...ids])) === null) throw mayNotInitiate()
}
