import { hasContentAccess, mayAddSubscribers } from '../channels/access.ts'
import type { Channel } from '../channels/channel.ts'
import { findDefaultChannelIds } from '../channels/default-channel-queries.ts'
import { findChannelsById } from '../channels/queries.ts'
import { findSubscriptionStatuses } from '../channels/subscription-status-queries.ts'
import { mayChangeGroup, requireActiveGroup, requireMayChangeGroup } from '../groups/access.ts'
import type { Group } from '../groups/group.ts'
import { findMembershipScope, hasPermission } from '../groups/membership.ts'
import { insufficientPermission } from '../people/users/access.ts'
import { isAdministrator, isOwner, Role } from '../people/users/role.ts'
import type { Actor, User } from '../people/users/user.ts'
import { refusal } from '../platform/errors/refusal.ts'
import type { Db, Transaction } from '../platform/storage/storage.ts'
import { type EmailInvitation, type Invitation, isByEmail } from './invitation.ts'
import { findInvitation } from './queries.ts'

export const mustBeOwnerToInviteOwners = refusal('UNAUTHORIZED_PRINCIPAL', 400, 'Must be an organization owner')
export const mustBeAdministratorForInvitation = refusal('BAD_REQUEST', 400, 'Must be an organization administrator')
export const mustBeModeratorToInviteModerators = refusal('BAD_REQUEST', 400, 'Must be an organization moderator')
export const invalidInvitationChannel = refusal('BAD_REQUEST', 400, 'Invalid channel ID {id}. No invites were sent.')
export const mayNotSubscribeOthers = refusal(
  'BAD_REQUEST',
  400,
  'You do not have permission to subscribe other users to channels.',
)
export const noSuchInvitation = refusal('BAD_REQUEST', 400, 'No such invitation')
export const alreadyRevoked = refusal('BAD_REQUEST', 400, 'Invitation has already been revoked')

/** By which permission people invite: owners have no bypass. */
const invitingPermissions = { email: 'can_invite_users_group', link: 'create_multiuse_invite_group' } as const

export type InvitationKind = keyof typeof invitingPermissions

/** Refuses whom the organization does not let invite in this way. */
export async function requireMayInvite(db: Db, actor: Actor, kind: InvitationKind, now: number): Promise<void> {
  if (!(await hasPermission(db, actor, invitingPermissions[kind], now))) throw insufficientPermission()
}

/**
 * Refuses whose account has ended meanwhile. Until the transaction ends it does not, so that its end finds what is offered
 * here. To be called after `lockAddresses`, where both are.
 */
export async function requireActiveInviter(tx: Transaction, actor: Actor): Promise<void> {
  const account = await tx.db
    .selectFrom('users')
    .select('id')
    .where('id', '=', actor.id)
    .where('deactivatedAt', 'is', null)
    .forShare()
    .executeTakeFirst()
  if (account === undefined) throw insufficientPermission()
}

/** Whether the inviter still has an account, and may still invite to that role in this way. */
export async function mayStillInvite(db: Db, inviter: Actor, invitation: Invitation, now: number): Promise<boolean> {
  if (inviter.deactivatedAt !== null || !mayInviteAs(inviter, invitation.role)) return false
  return hasPermission(db, inviter, invitingPermissions[isByEmail(invitation) ? 'email' : 'link'], now)
}

/** Whether somebody may invite to a role: to their own and to lesser ones; moderators and above to moderators. */
export function mayInviteAs(inviter: User, role: Role): boolean {
  return role >= Role.member || inviter.role <= role
}

export function requireMayInviteAs(actor: Actor, role: Role): void {
  if (mayInviteAs(actor, role)) return
  if (role === Role.owner) throw mustBeOwnerToInviteOwners()
  throw role === Role.administrator ? mustBeAdministratorForInvitation() : mustBeModeratorToInviteModerators()
}

/** What inviting somebody to a channel comes to; `closed` is also one that is not there or out of use. */
type ChannelCheck = { channel: Channel; may: true } | { id: number | bigint; may: false; because: 'closed' | 'right' }

/** Refuses channels that the actor cannot read, and then those to which they may not add others. */
export async function requireGrantableChannels(
  db: Db,
  actor: Actor,
  channelIds: readonly (number | bigint)[],
  now: number,
): Promise<void> {
  const verdicts = await checkChannels(db, actor, channelIds, now)
  const refused = verdicts.filter((verdict) => !verdict.may)
  const closed = refused.find(({ because }) => because === 'closed')
  if (closed !== undefined) throw invalidInvitationChannel({ id: String(closed.id) })
  if (refused.length > 0) throw mayNotSubscribeOthers()
}

/** Those of the channels that the actor may give to people whom they invite. */
export async function findGrantableChannels(
  db: Db,
  actor: Actor,
  channelIds: readonly number[],
  now: number,
): Promise<Channel[]> {
  return (await checkChannels(db, actor, channelIds, now)).flatMap((verdict) => (verdict.may ? verdict.channel : []))
}

async function checkChannels(
  db: Db,
  actor: Actor,
  channelIds: readonly (number | bigint)[],
  now: number,
): Promise<ChannelCheck[]> {
  if (channelIds.length === 0) return []
  const scope = await findMembershipScope(db, actor, now)
  const possibleIds = [...new Set(channelIds)].filter((id) => typeof id === 'number')
  const channels = new Map((await findChannelsById(db, actor.realmId, possibleIds)).map((one) => [one.id, one]))
  const standings = await findSubscriptionStatuses(db, actor.id, possibleIds)
  const defaultIds = await findDefaultChannelIds(db, actor.realmId)
  const verdicts: ChannelCheck[] = []
  for (const id of new Set(channelIds)) {
    const channel = channels.get(Number(id))
    const isOpen =
      channel?.archivedAt === null &&
      hasContentAccess(scope, actor, channel, standings.get(channel.id) === 'subscribed')
    if (!isOpen) verdicts.push({ id, may: false, because: 'closed' })
    else if (mayAddSubscribers(scope, actor, channel, defaultIds.has(channel.id))) verdicts.push({ channel, may: true })
    else verdicts.push({ id, may: false, because: 'right' })
  }
  return verdicts
}

/** Refuses groups to which the actor may not add members; those that follow from roles are nobody's to give. */
export async function requireGrantableGroups(
  db: Db,
  actor: Actor,
  groupIds: readonly number[],
  now: number,
): Promise<void> {
  if (groupIds.length === 0) return
  const scope = await findMembershipScope(db, actor, now)
  for (const id of groupIds) requireMayChangeGroup(scope, actor, requireActiveGroup(scope.groups, id), 'addMembers')
}

/** Those of the groups to which the actor may add people whom they invite. */
export async function findGrantableGroups(
  db: Db,
  actor: Actor,
  groupIds: readonly number[],
  now: number,
): Promise<Group[]> {
  const scope = await findMembershipScope(db, actor, now)
  const groups = groupIds.flatMap((id) => scope.groups.byId.get(id) ?? [])
  return groups.filter((group) => group.deactivatedAt === null && mayChangeGroup(scope, actor, group, 'addMembers'))
}

/**
 * An invitation by e-mail that has not ended, if it is the actor's to manage: their own, or any for administrators, those
 * of owners for owners alone.
 */
export async function requireManageableInvitation(
  db: Db,
  actor: Actor,
  id: number,
  requireMay: typeof requireMayManage = requireMayManage,
): Promise<EmailInvitation> {
  const invitation = await findInvitation(db, id)
  if (invitation === null || !isByEmail(invitation) || invitation.endedAt !== null) throw noSuchInvitation()
  requireMay(actor, invitation)
  return invitation
}

/** As `requireManageableInvitation`, of links. */
export async function requireManageableLink(
  db: Db,
  actor: Actor,
  id: number,
  requireMay: typeof requireMayManage = requireMayManage,
): Promise<Invitation> {
  const link = await findInvitation(db, id)
  if (link === null || isByEmail(link)) throw noSuchInvitation()
  requireMay(actor, link)
  if (link.endedAs === 'revoked') throw alreadyRevoked()
  if (link.endedAt !== null) throw noSuchInvitation()
  return link
}

/**
 * Refuses an invitation that is not listed to the actor like one that does not exist. Where invitations are withdrawn or
 * sent again, the reference server's refusals name who may.
 */
export function requireMaySeeInvitation(actor: Actor, invitation: Invitation): void {
  if (invitation.inviterId !== actor.id && !isAdministrator(actor)) throw noSuchInvitation()
  requireMayManage(actor, invitation)
}

function requireMayManage(actor: Actor, invitation: Invitation): void {
  if (invitation.realmId !== actor.realmId) throw noSuchInvitation()
  if (invitation.inviterId === actor.id) return
  if (invitation.role === Role.owner && !isOwner(actor)) throw mustBeOwnerToInviteOwners()
  if (!isAdministrator(actor)) throw mustBeAdministratorForInvitation()
}
