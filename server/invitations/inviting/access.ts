import { findSubscriptionStatuses, mayAddSubscribers } from '#channels/access.ts'
import type { Channel } from '#channels/channel.ts'
import { findChannelsById, findDefaultChannelIds } from '#channels/queries.ts'
import type { Settings } from '#config.ts'
import { mayChangeGroup, requireActiveGroup, requireMayChangeGroup } from '#groups/access.ts'
import type { Group } from '#groups/group.ts'
import type { Viewer } from '#groups/viewer.ts'
import { SECONDS_PER_DAY } from '#lib/clock.ts'
import { refusal } from '#lib/errors.ts'
import { findRecipientsSince } from '#mail/queries.ts'
import { insufficientPermission } from '#people/access.ts'
import { hasLicenses } from '#people/creation-limits.ts'
import { lockActiveUser, lockEmailAddresses } from '#people/user-queries.ts'
import type { Actor, User } from '#people/users.ts'
import { lockRealm, lockRealmsSince } from '#realms/queries.ts'
import { hasContentAccess } from '#rules/permissions.ts'
import { isAdministrator, isOwner, Role } from '#rules/role.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { type EmailInvitation, INVITATION_TEMPLATE, type Invitation, isByEmail } from '../invitation.ts'
import { findInvitation } from '../queries.ts'
import { countInvitationsOfInviter, countInvitationsOfNewRealms, countRecentInvitations } from './count-queries.ts'

// Permissions and limits of inviting: roles, channels and groups that a user may grant, the age of the inviter's account,
// daily limits, and licenses.

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
function maxInvitationsPerDay(settings: Readonly<Settings>, actor: Actor): number | null {
  const { INVITES_MEMBER_DAILY_MAX, INVITES_ADMINISTRATOR_DAILY_MAX } = settings
  return (isAdministrator(actor) ? INVITES_ADMINISTRATOR_DAILY_MAX : INVITES_MEMBER_DAILY_MAX) || null
}

/**
 * Refuses if `count` more invitations would exceed the daily limit of the organization or of the user. Until the
 * transaction ends, other transactions wait before they check the same limits.
 */
export async function requireWithinDailyLimit(tx: Transaction, actor: Actor, count: number): Promise<void> {
  await requireWithinRealmLimit(tx, actor, count)
  await requireWithinInviterLimit(tx, actor, count)
}

/**
 * Refuses if `count` more invitations would exceed the organization's limit, or the limit that new organizations share.
 * These limits apply only on servers where anyone can create organizations.
 */
async function requireWithinRealmLimit(tx: Transaction, actor: Actor, count: number): Promise<void> {
  const { db, now } = tx
  const { OPEN_REALM_CREATION, INVITES_NEW_REALM_DAYS, INVITES_NEW_REALM_DAILY_MAX } = db.settings
  if (!OPEN_REALM_CREATION) return
  const { createdAt, settings } = actor.realm
  const newSince = now - INVITES_NEW_REALM_DAYS * SECONDS_PER_DAY
  const isNew = createdAt > newSince && settings.max_invites <= INVITES_NEW_REALM_DAILY_MAX
  if (isNew) await lockRealmsSince(tx, newSince)
  else await lockRealm(tx, actor.realmId)
  let isExceeded = (await countRecentInvitations(db, actor.realmId, now)) + count > settings.max_invites
  if (!isExceeded && isNew) {
    const limited = { since: newSince, maxPerRealm: INVITES_NEW_REALM_DAILY_MAX, now }
    isExceeded = (await countInvitationsOfNewRealms(db, limited)) + count > INVITES_NEW_REALM_DAILY_MAX
  }
  if (!isExceeded) return
  throw invitationFailed({
    reason: 'This organization has reached its daily limit of invitations. Try again tomorrow.',
    daily_limit_reached: true,
  })
}

async function requireWithinInviterLimit(tx: Transaction, actor: Actor, count: number): Promise<void> {
  const limit = maxInvitationsPerDay(tx.db.settings, actor)
  if (limit === null) return
  await lockEmailAddresses(tx, actor.realmId)
  const left = Math.max(0, limit - (await countInvitationsOfInviter(tx.db, actor.id, tx.now)))
  if (count <= left) return
  throw invitationFailed({
    reason:
      `You can send ${limit} invitations a day, and you have ${left} left today. ` +
      'No invites were sent. Invite fewer people, or try again tomorrow.',
    daily_limit_reached: true,
  })
}

/** Returns how many more invitations the user may send by email today; null if there is no limit. */
export async function countInvitationsLeft(db: Db, actor: Actor, now: number): Promise<number | null> {
  const limits: number[] = []
  const inviterLimit = maxInvitationsPerDay(db.settings, actor)
  if (inviterLimit !== null) limits.push(inviterLimit - (await countInvitationsOfInviter(db, actor.id, now)))
  if (db.settings.OPEN_REALM_CREATION)
    limits.push(actor.realm.settings.max_invites - (await countRecentInvitations(db, actor.realmId, now)))
  return limits.length === 0 ? null : Math.max(0, Math.min(...limits))
}

/**
 * Returns those of the addresses to which the organization sent an invitation in the last few minutes, each with a
 * reason to skip it. Until the transaction ends, no other transaction can invite any of the addresses.
 */
export async function findRecentlyInvited(
  tx: Transaction,
  actor: Actor,
  emails: readonly string[],
): Promise<SkippedAddress[]> {
  const { INVITES_ADDRESS_PAUSE_MINUTES: pause } = tx.db.settings
  if (pause === 0 || emails.length === 0) return []
  await lockEmailAddresses(tx, actor.realmId)
  const mails = { realmId: actor.realmId, letter: INVITATION_TEMPLATE, since: tx.now - pause * 60 }
  const mailed = await findRecipientsSince(tx.db, mails, emails)
  const reason = `An invitation was sent less than ${pause} minutes ago.`
  return emails.flatMap((email): SkippedAddress[] => (mailed.has(email.toLowerCase()) ? [[email, reason, false]] : []))
}

/** Refuses if an invitation was sent to the address in the last few minutes. */
export async function requireNotRecentlyInvited(tx: Transaction, actor: Actor, email: string): Promise<void> {
  const errors = await findRecentlyInvited(tx, actor, [email])
  if (errors.length > 0)
    throw invitationFailed({ reason: `An invitation was sent to ${email} a few minutes ago. Try again later.`, errors })
}

/** Refuses if the organization does not have licenses for `count` more users. Bots and guests need no license. */
export async function requireLicenses(db: Db, actor: Actor, count: number): Promise<void> {
  if (await hasLicenses(db, actor.realm, count)) return
  throw invitationFailed({
    reason: 'This organization does not have enough licenses to invite so many people.',
    license_limit_reached: true,
  })
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
