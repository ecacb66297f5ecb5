import { findSubscriptionStatuses, mayAddSubscribers } from '#channels/access.ts'
import type { Channel } from '#channels/channel.ts'
import { findChannelsById, findDefaultChannelIds } from '#channels/queries.ts'
import type { Settings } from '#config.ts'
import { mayChangeGroup, requireActiveGroup, requireMayChangeGroup } from '#groups/access.ts'
import type { Group } from '#groups/group.ts'
import type { Viewer } from '#groups/viewer.ts'
import { SECONDS_PER_DAY } from '#lib/clock.ts'
import { refusal } from '#lib/errors.ts'
import { insufficientPermission } from '#people/access.ts'
import { lockActiveUser } from '#people/user-queries.ts'
import type { Actor, User } from '#people/users.ts'
import { hasContentAccess } from '#rules/permissions.ts'
import { isAdministrator, isOwner, Role } from '#rules/role.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { type EmailInvitation, type Invitation, isByEmail } from '../invitation.ts'
import { findInvitation } from '../queries.ts'

/** An address that was not invited, the reason, and whether it belongs to a deactivated account. */
export type SkippedAddress = [email: string, reason: string, isDeactivatedAccount: boolean]

type Failure = {
  reason: string
  errors?: readonly SkippedAddress[]
  /** True if the other addresses were invited nevertheless. */
  sent_invitations?: boolean
  daily_limit_reached?: boolean
  license_limit_reached?: boolean
}

/** Refuses a request because some or all of its addresses could not be invited. */
export const invitationFailed = refusal('INVITATION_FAILED', 400, '{reason}', {
  extras: (failure: Failure) => ({
    errors: failure.errors ?? [],
    sent_invitations: failure.sent_invitations ?? false,
    daily_limit_reached: failure.daily_limit_reached ?? false,
    license_limit_reached: failure.license_limit_reached ?? false,
  }),
})

export const mustBeOwnerToInviteOwners = refusal('UNAUTHORIZED_PRINCIPAL', 400, 'Must be an organization owner')
export const mustBeAdministratorForInvitation = refusal('BAD_REQUEST', 400, 'Must be an organization administrator')
export const mustBeModeratorToInviteModerators = refusal('BAD_REQUEST', 400, 'Must be an organization moderator')
export const invalidInvitationChannel = refusal('BAD_REQUEST', 400, 'Invalid channel ID {id}. No invites were sent.', {
  field: 'stream_ids',
})
export const mayNotSubscribeOthers = refusal(
  'BAD_REQUEST',
  400,
  'You do not have permission to subscribe other users to channels.',
  { field: 'stream_ids' },
)
export const noSuchInvitation = refusal('BAD_REQUEST', 400, 'No such invitation')
export const alreadyRevoked = refusal('BAD_REQUEST', 400, 'Invitation has already been revoked')

/**
 * The minimum age, in days, of an account that sends invitations. It applies to organizations that people can join
 * without an invitation.
 */
const MIN_ACCOUNT_AGE = 3

/** The permission that each kind of invitation requires. Owners have no bypass. */
export const invitingPermissions = { email: 'can_invite_users_group', link: 'create_multiuse_invite_group' } as const

type InvitationKind = keyof typeof invitingPermissions

/** Refuses if the organization does not let the actor send invitations of this kind. */
export async function requireMayInvite(viewer: Viewer, kind: InvitationKind): Promise<void> {
  if (!(await viewer.has(invitingPermissions[kind]))) throw insufficientPermission()
}

/**
 * Refuses if the inviter's account has been deactivated, and keeps it from being deactivated until the transaction
 * ends. Otherwise a concurrent deactivation, which ends the inviter's invitations, would miss those that this
 * transaction saves. Call it after `lockEmailAddresses` if both are needed.
 */
export async function requireActiveInviter(tx: Transaction, actor: Actor): Promise<void> {
  if (!(await lockActiveUser(tx, actor.id))) throw insufficientPermission()
}

/**
 * Returns whether the inviter may invite to the role. Everyone may invite members and guests. Inviting to a higher role
 * requires at least the same role.
 */
export function mayInviteAs(inviter: User, role: Role): boolean {
  return role >= Role.member || inviter.role <= role
}

export function requireMayInviteAs(actor: Actor, role: Role): void {
  if (mayInviteAs(actor, role)) return
  if (role === Role.owner) throw mustBeOwnerToInviteOwners()
  throw role === Role.administrator ? mustBeAdministratorForInvitation() : mustBeModeratorToInviteModerators()
}

/** Refuses accounts that are too new. This applies to organizations that people can join without an invitation. */
export function requireAccountAge(actor: Actor, now: number): void {
  if (actor.realm.settings.invite_required || isAdministrator(actor)) return
  if (actor.joinedAt + MIN_ACCOUNT_AGE * SECONDS_PER_DAY <= now) return
  throw invitationFailed({
    reason:
      'Your account is too new to send invites for this organization. Ask an organization admin, or a more experienced user.',
  })
}

/** Returns how many invitations the user may send by email on one day (UTC); null if there is no limit. */
export function maxInvitationsPerDay(settings: Readonly<Settings>, actor: Actor): number | null {
  const { INVITES_MEMBER_DAILY_MAX, INVITES_ADMINISTRATOR_DAILY_MAX } = settings
  return (isAdministrator(actor) ? INVITES_ADMINISTRATOR_DAILY_MAX : INVITES_MEMBER_DAILY_MAX) || null
}

/** The result of checking one channel of an invitation. A missing or archived channel counts as `unreadable`. */
type ChannelCheck =
  | { channel: Channel; isGrantable: true }
  | { id: number | bigint; isGrantable: false; reason: 'unreadable' | 'permission' }

/** Refuses if the actor cannot read one of the channels, or may not add other users to it. */
export async function requireGrantableChannels(
  viewer: Viewer,
  channelIds: readonly (number | bigint)[],
): Promise<void> {
  const checks = await checkChannels(viewer, channelIds)
  const refused = checks.filter((check) => !check.isGrantable)
  const unreadable = refused.find(({ reason }) => reason === 'unreadable')
  if (unreadable !== undefined) throw invalidInvitationChannel({ id: String(unreadable.id) })
  if (refused.length > 0) throw mayNotSubscribeOthers()
}

/** Returns those of the channels to which the actor may add invited users. */
export async function findGrantableChannels(viewer: Viewer, channelIds: readonly number[]): Promise<Channel[]> {
  return (await checkChannels(viewer, channelIds)).flatMap((check) => (check.isGrantable ? check.channel : []))
}

async function checkChannels(viewer: Viewer, channelIds: readonly (number | bigint)[]): Promise<ChannelCheck[]> {
  const { db, actor } = viewer
  if (channelIds.length === 0) return []
  const scope = await viewer.scope()
  const possibleIds = [...new Set(channelIds)].filter((id) => typeof id === 'number')
  const channels = new Map((await findChannelsById(db, actor.realmId, possibleIds)).map((one) => [one.id, one]))
  const statuses = await findSubscriptionStatuses(db, actor.id, possibleIds)
  const defaultIds = await findDefaultChannelIds(db, actor.realmId)
  const checks: ChannelCheck[] = []
  for (const id of new Set(channelIds)) {
    const channel = channels.get(Number(id))
    const isReadable =
      channel?.archivedAt === null && hasContentAccess(scope, actor, channel, statuses.get(channel.id) === 'subscribed')
    if (!isReadable) checks.push({ id, isGrantable: false, reason: 'unreadable' })
    else if (mayAddSubscribers(scope, actor, channel, defaultIds.has(channel.id)))
      checks.push({ channel, isGrantable: true })
    else checks.push({ id, isGrantable: false, reason: 'permission' })
  }
  return checks
}

/** Refuses if the actor may not add members to one of the groups. System groups are always refused. */
export async function requireGrantableGroups(viewer: Viewer, groupIds: readonly number[]): Promise<void> {
  const { actor } = viewer
  if (groupIds.length === 0) return
  const scope = await viewer.scope()
  for (const id of groupIds) requireMayChangeGroup(scope, actor, requireActiveGroup(scope.groups, id), 'addMembers')
}

/** Returns those of the groups to which the actor may add invited users. */
export async function findGrantableGroups(viewer: Viewer, groupIds: readonly number[]): Promise<Group[]> {
  const { actor } = viewer
  const scope = await viewer.scope()
  const groups = groupIds.flatMap((id) => scope.groups.byId.get(id) ?? [])
  return groups.filter((group) => group.deactivatedAt === null && mayChangeGroup(scope, actor, group, 'addMembers'))
}

/**
 * Returns an email invitation that has not ended and that the actor may manage. Users may manage the invitations that
 * they sent. Administrators may manage all invitations of others, except invitations to the owner role, which only
 * owners may manage.
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

/** Does the same as `requireManageableInvitation` for links. */
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
 * Refuses an invitation that the actor cannot see in the list, with the error for a missing one. For revoking and
 * resending, `requireMayManage` is used instead: its errors name the required role, as in the reference server.
 */
export function requireMaySeeInvitation(actor: Actor, invitation: Invitation): void {
  if (!maySeeInvitationsOf(actor, [invitation.inviterId])) throw noSuchInvitation()
  requireMayManage(actor, invitation)
}

/**
 * Returns whether the user may list the invitations of at least one of these inviters. Administrators may list all
 * invitations.
 */
export function maySeeInvitationsOf(user: { id: number; role: number }, inviterIds: readonly number[]): boolean {
  return isAdministrator(user) || inviterIds.includes(user.id)
}

/** Returns the id of the inviter whose invitations the actor may list; null if the actor may list all. */
export const listableInviterId = (actor: Actor): number | null => (isAdministrator(actor) ? null : actor.id)

function requireMayManage(actor: Actor, invitation: Invitation): void {
  if (invitation.realmId !== actor.realmId) throw noSuchInvitation()
  if (invitation.inviterId === actor.id) return
  if (invitation.role === Role.owner && !isOwner(actor)) throw mustBeOwnerToInviteOwners()
  if (!isAdministrator(actor)) throw mustBeAdministratorForInvitation()
}
