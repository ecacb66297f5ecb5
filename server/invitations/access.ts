import { refusal } from '../base/refusal.ts'
import { hasContentAccess, mayAddSubscribers } from '../channels/access.ts'
import { findChannel, findDefaultChannelIds, findStandings } from '../channels/queries.ts'
import { requireActiveGroup, requireMayChangeGroup } from '../groups/access.ts'
import { hasPermission, membershipScope } from '../groups/membership.ts'
import type { Db } from '../storage/storage.ts'
import { insufficientPermission } from '../users/access.ts'
import { isAdministrator, isOwner, Role } from '../users/role.ts'
import type { Actor, User } from '../users/user.ts'
import type { Invitation } from './invitation.ts'
import { findInvitation } from './queries.ts'

export const mustBeOwnerToInviteOwners = refusal('UNAUTHORIZED_PRINCIPAL', 400, 'Must be an organization owner')
export const mustBeAdministrator = refusal('BAD_REQUEST', 400, 'Must be an organization administrator')
export const mustBeModerator = refusal('BAD_REQUEST', 400, 'Must be an organization moderator')
export const invalidInvitationChannel = refusal('BAD_REQUEST', 400, 'Invalid channel ID {id}. No invites were sent.')
export const mayNotSubscribeOthers = refusal(
  'BAD_REQUEST',
  400,
  'You do not have permission to subscribe other users to channels.',
)
export const noSuchInvitation = refusal('BAD_REQUEST', 400, 'No such invitation')

/** Refuses whom the organization does not let invite; owners have no bypass. */
export async function requireMayInvite(db: Db, actor: Actor, now: number): Promise<void> {
  if (!(await hasPermission(db, actor, 'can_invite_users_group', now))) throw insufficientPermission()
}

/** Whether somebody may invite to a role: to their own and to lesser ones; moderators and above to moderators. */
export function mayInviteAs(inviter: User, role: Role): boolean {
  return role >= Role.member || inviter.role <= role
}

export function requireMayInviteAs(actor: Actor, role: Role): void {
  if (mayInviteAs(actor, role)) return
  if (role === Role.owner) throw mustBeOwnerToInviteOwners()
  throw role === Role.administrator ? mustBeAdministrator() : mustBeModerator()
}

/** Refuses channels that the actor cannot read, and then those to which they may not add others. */
export async function requireChannelsToGive(
  db: Db,
  actor: Actor,
  channelIds: readonly number[],
  now: number,
): Promise<void> {
  if (channelIds.length === 0) return
  const scope = await membershipScope(db, actor, now)
  const standings = await findStandings(db, actor.id, channelIds)
  const defaultIds = await findDefaultChannelIds(db, actor.realmId)
  let mayGiveAll = true
  for (const id of channelIds) {
    const channel = await findChannel(db, actor.realmId, id)
    if (channel === null || channel.archivedAt !== null) throw invalidInvitationChannel({ id })
    if (!hasContentAccess(scope, actor, channel, standings.get(id) === 'subscribed'))
      throw invalidInvitationChannel({ id })
    mayGiveAll &&= mayAddSubscribers(scope, actor, channel, defaultIds.has(id))
  }
  if (!mayGiveAll) throw mayNotSubscribeOthers()
}

/** Refuses groups to which the actor may not add members; those that follow from roles are nobody's to give. */
export async function requireGroupsToGive(
  db: Db,
  actor: Actor,
  groupIds: readonly number[],
  now: number,
): Promise<void> {
  if (groupIds.length === 0) return
  const scope = await membershipScope(db, actor, now)
  for (const id of groupIds) requireMayChangeGroup(scope, actor, requireActiveGroup(scope.groups, id), 'addMembers')
}

/**
 * An invitation that has not ended, if it is the actor's to manage: their own, or any for administrators, those of
 * owners for owners alone.
 */
export async function requireManageableInvitation(db: Db, actor: Actor, id: number): Promise<Invitation> {
  const invitation = await findInvitation(db, id)
  if (invitation === null || invitation.realmId !== actor.realmId || invitation.endedAt !== null)
    throw noSuchInvitation()
  if (invitation.inviterId === actor.id) return invitation
  if (!isAdministrator(actor)) throw mustBeAdministrator()
  if (invitation.role === Role.owner && !isOwner(actor)) throw mustBeOwnerToInviteOwners()
  return invitation
}
