import { findSubscribedIds } from '#channels/access.ts'
import { emitPeerChanges, peersAdded, peersRemoved } from '#channels/audience.ts'
import type { Channel } from '#channels/channel.ts'
import { findChannel, findChannelsById, findDefaultChannels } from '#channels/queries.ts'
import { subscribeUsers } from '#channels/subscribe.ts'
import type { UserChannelPair } from '#channels/subscriptions.ts'
import { saveGroupMembers } from '#groups/queries.ts'
import { deleteZoomTokens } from '#integrations/zoom-tokens.ts'
import { endInvitationsOfInviter, endInvitationsToAddress } from '#invitations/manage-invitations.ts'
import { refusal } from '#lib/errors.ts'
import { queueMail } from '#mail/outbox.ts'
import { silentMention } from '#messages/notice-markdown.ts'
import { prepareTopicNotice } from '#messages/prepare-message.ts'
import { sendMessage } from '#messages/send-message.ts'
import { deleteReplyAddresses } from '#notifications/reply-addresses.ts'
import { recordAudit } from '#people/audit.ts'
import { findActiveBotsOf, findBotsWithHigherRole, isNameTaken } from '#people/bots.ts'
import { requireNotErased } from '#people/erasures.ts'
import { needsSecondFactor } from '#people/second-factors.ts'
import { deleteSessionsOf } from '#people/sessions.ts'
import { findStatuses, statusChanged } from '#people/statuses.ts'
import { lockEmailAddresses, type NewUser, saveUser, saveUserFields } from '#people/user-queries.ts'
import { findDefaultSettings } from '#people/user-settings.ts'
import { type Actor, apiEmail, isBot, requireFullName, type User } from '#people/users.ts'
import type { Realm } from '#realms/realm.ts'
import type { Role } from '#rules/role.ts'
import { lockRecipients } from '#storage/counters.ts'
import { deleteQueuesOf } from '#storage/event-log.ts'
import type { Transaction } from '#storage/storage.ts'
import { requireMayChangeRole } from './access.ts'
import { emitMembershipChange, emitRoleVisibilityChange } from './access-events.ts'
import { WELCOME_TEMPLATE } from './account-emails.ts'
import { requireAvailableEmail } from './change-email.ts'
import {
  accountIds,
  emitAvatarChange,
  emitBotChange,
  emitExportConsent,
  emitTo,
  emitUserAdded,
  emitUserChange,
  emitUserSetting,
  findUserAudience,
} from './user-events.ts'

// Operations on accounts: creating, changing, deactivating and reactivating them. Each emits to every user what that
// user may see of it. Sessions, keys, bots and invitations of an account end in the transaction that deactivates it.

export const nameNotUnique = refusal('BAD_REQUEST', 400, 'Unique names required in this organization.', {
  field: 'full_name',
})

/**
 * If the organization requires unique names, refuses a name that another active user has, and reserves the name until
 * the transaction ends. Case is ignored.
 */
async function requireUniqueName(tx: Transaction, realm: Realm, fullName: string, ownerId?: number): Promise<void> {
  if (!realm.settings.require_unique_names) return
  await lockEmailAddresses(tx, realm.id)
  const people = await tx.db
    .selectFrom('users')
    .select(['id', 'fullName'])
    .where('realmId', '=', realm.id)
    .where('deactivatedAt', 'is', null)
    .where('botType', 'is', null)
    .execute()
  const key = nameKey(fullName)
  if (people.some((person) => person.id !== ownerId && nameKey(person.fullName) === key)) throw nameNotUnique()
}

const nameKey = (name: string) => name.normalize('NFKC').toLowerCase()

/** Emits a new account and its groups to everyone in the organization. */
export async function emitUserCreated(tx: Transaction, realm: Realm, user: User): Promise<void> {
  await emitUserAdded(tx, realm, user)
  await emitMembershipChange(tx, realm, null, user)
}

/** A new account of a person. Only the owner of a demo organization may have no address, which is ''. */
type NewPerson = Omit<NewUser, 'realmId' | 'botType' | 'botOwnerId'> & { hasNoAddress?: boolean }

/** The channels and groups that a new user joins, and the reason for which other invitations to their address end. */
type InitialMemberships = {
  channels: readonly Channel[]
  groupIds: readonly number[]
  invitationsEndAs: 'superseded' | 'registered'
}

/**
 * Creates an account. The organization's default settings apply, unless `person` has others. The account joins the given
 * channels and groups, or the default channels if none are given. Refuses an address or a name that is not allowed. Ends
 * other invitations to the address and announces the new user. Sends a welcome email, if the organization has chosen
 * that.
 */
export async function createUser(
  tx: Transaction,
  realm: Realm,
  person: NewPerson,
  given?: InitialMemberships,
): Promise<User> {
  const fullName = requireFullName(person.fullName)
  await requireUniqueName(tx, realm, fullName)
  const deliveryEmail = person.hasNoAddress === true ? '' : await requireAvailableEmail(tx, realm, person.deliveryEmail)
  const settings = { ...(await findDefaultSettings(tx.db, realm.id)), ...person.settings }
  const { channels, groupIds, invitationsEndAs } = given ?? (await findUsualMemberships(tx, realm))

  const grace = beginGrace(tx, realm, { ...person, botType: null, secondFactorRequiredAt: null })
  const account = { ...person, settings, realmId: realm.id, fullName, deliveryEmail, ...grace }
  const user = await saveUser(tx, account)
  const isJoining = tx.origin.by === 'request' && tx.origin.actorId === null
  const actorId = isJoining ? user.id : tx.origin.actorId
  await recordAudit(tx, realm.id, 'account_created', { actorId, targetId: user.id, role: user.role })
  for (const id of groupIds) await saveGroupMembers(tx, id, [user.id])
  await emitUserCreated(tx, realm, user)
  if (channels.length > 0) {
    // Messages are saved later in this transaction, so message ids must be reserved before these rows are written:
    // docs/decisions/0002.
    await lockRecipients(tx)
    await subscribeUsers(tx, realm, [user], channels)
  }
  await endInvitationsToAddress(tx, realm.id, deliveryEmail, invitationsEndAs)
  await announceNewUser(tx, realm, user)
  if (realm.settings.send_welcome_emails) await queueWelcomeMail(tx, user)
  return user
}

/** Returns the beginning of the days of grace if a second factor is required of the account from now on, or nothing. */
const beginGrace = (
  { now }: Transaction,
  realm: Realm,
  user: Pick<User, 'role' | 'botType' | 'secondFactorRequiredAt'>,
): Partial<Pick<User, 'secondFactorRequiredAt'>> =>
  user.secondFactorRequiredAt === null && needsSecondFactor(user, realm.settings) ? { secondFactorRequiredAt: now } : {}

/** Returns the initial memberships of a user who was not invited. */
export const findUsualMemberships = async (tx: Transaction, realm: Realm): Promise<InitialMemberships> => ({
  channels: await findDefaultChannels(tx.db, realm.id),
  groupIds: [],
  invitationsEndAs: 'registered',
})

async function queueWelcomeMail(tx: Transaction, { id, realmId, deliveryEmail }: User): Promise<void> {
  await queueMail(tx, { realmId, recipient: deliveryEmail, letter: WELCOME_TEMPLATE, data: { userId: id } })
}

/**
 * Posts a message by the notification bot in the organization's channel for new users. Does nothing if the organization
 * has no such channel.
 */
async function announceNewUser(tx: Transaction, realm: Realm, newUser: User): Promise<void> {
  const channel = await findChannel(tx.db, realm.id, realm.settings.signup_announcements_stream_id)
  if (channel?.archivedAt !== null) return
  const content = `${silentMention(newUser)} joined this organization.`
  await sendMessage(tx, await prepareTopicNotice(tx.db, realm, { channel, topic: 'signups', content }))
}

export const botNameTaken = refusal('BAD_REQUEST', 400, 'Name is already in use.', { field: 'full_name' })

/** Renames the account. Refuses if it was erased. A bot cannot take the name of another account. */
export async function changeFullName(tx: Transaction, realm: Realm, user: User, given: string): Promise<void> {
  const fullName = requireFullName(given)
  if (fullName === user.fullName) return
  await requireNotErased(tx.db, user.id)
  if (!isBot(user)) await requireUniqueName(tx, realm, fullName, user.id)
  else await requireAvailableBotName(tx, realm, fullName)
  await saveUserFields(tx, user.id, { fullName })
  if (tx.origin.actorId !== user.id)
    await recordAudit(tx, realm.id, 'name_changed', { targetId: user.id, from: user.fullName, to: fullName })
  await emitUserChange(tx, realm, user, { full_name: fullName })
  if (isBot(user)) await emitBotChange(tx, realm, user, { full_name: fullName })
}

/** Refuses a name that is in use. A name that is accepted stays reserved until the transaction ends. */
async function requireAvailableBotName(tx: Transaction, realm: Realm, fullName: string): Promise<void> {
  await lockEmailAddresses(tx, realm.id)
  if (await isNameTaken(tx.db, realm.id, fullName)) throw botNameTaken()
}

/** Changes the role of the account. Refuses unless the actor may change it. */
export async function changeRole(tx: Transaction, actor: Actor, user: User, role: Role): Promise<void> {
  if (user.role === role) return
  await requireMayChangeRole(tx, actor, user, role)
  await setRole(tx, actor.realm, user, role)
}

/** Changes the role without checking permissions. Bots of the user that have a higher role get the new role, too. */
export async function setRole(tx: Transaction, realm: Realm, user: User, role: Role): Promise<void> {
  const fields = { role, ...beginGrace(tx, realm, { ...user, role }) }
  await saveUserFields(tx, user.id, fields)
  await recordAudit(tx, realm.id, 'role_changed', { targetId: user.id, from: user.role, to: role })
  const changed = { ...user, ...fields }
  await emitUserChange(tx, realm, changed, { role })
  await emitMembershipChange(tx, realm, user, changed)
  await emitRoleVisibilityChange(tx, realm, user, changed)
  for (const bot of await findBotsWithHigherRole(tx.db, user.id, role)) await setRole(tx, realm, bot, role)
}

/** Sets the IANA time zone of the account. */
export async function changeTimezone(tx: Transaction, realm: Realm, user: User, timezone: string): Promise<void> {
  if (timezone === user.timezone) return
  await saveUserFields(tx, user.id, { timezone })
  emitUserSetting(tx, realm, user, 'timezone', timezone)
  const email = apiEmail(user, realm, tx.db.settings.EXTERNAL_URL)
  await emitUserChange(tx, realm, user, { email, timezone })
}

/** Gives the account the uploaded avatar `file`, or its gravatar if `file` is null. Returns the changed account. */
export async function changeAvatar(tx: Transaction, realm: Realm, user: User, file: string | null): Promise<User> {
  const changed = { avatarFile: file, avatarVersion: user.avatarVersion + 1 }
  await saveUserFields(tx, user.id, changed)
  const account = { ...user, ...changed }
  await emitAvatarChange(tx, realm, account)
  return account
}

/**
 * Deactivates an account and its bots, and deletes their sessions. Ends the invitations of the account, and deletes its
 * addresses for replies. API keys and messages are kept. Returns the deactivated accounts.
 */
export async function deactivateUser(tx: Transaction, realm: Realm, user: User): Promise<User[]> {
  const accounts = [user, ...(await findActiveBotsOf(tx.db, user.id))]
  for (const account of accounts) await setActive(tx, realm, account, false)
  await endInvitationsOfInviter(tx, realm.id, user.id)
  await deleteReplyAddresses(tx, user.id)
  return accounts
}

/** Reactivates an account. Does nothing if it is active, and refuses if it was erased. Its bots have to be reactivated one by one. */
export async function reactivateUser(tx: Transaction, realm: Realm, user: User): Promise<void> {
  if (user.deactivatedAt === null) return
  await requireNotErased(tx.db, user.id)
  await setActive(tx, realm, user, true)
  await emitReactivation(tx, realm, user)
  if (!isBot(user)) await emitExportConsent(tx, realm, user)
}

/** Emits the restored subscriptions and status of the account to the other users. */
async function emitReactivation(tx: Transaction, realm: Realm, user: User): Promise<void> {
  await emitPeerChanges(tx, realm, await findSubscriptionPairs(tx, realm, user), peersAdded)
  const { viewers } = await findUserAudience(tx, realm, user)
  for (const [id, status] of await findStatuses(tx.db, [user.id]))
    emitTo(tx, realm, statusChanged(id, status), accountIds(viewers))
}

/**
 * Emits to users who may not see the account that it has left its channels. They get no other event, but see the
 * account in lists of subscribers.
 */
async function emitPeersRemovedToNonViewers(tx: Transaction, realm: Realm, user: User): Promise<void> {
  const { nonViewers } = await findUserAudience(tx, realm, user)
  if (nonViewers.length === 0) return
  await emitPeerChanges(
    tx,
    realm,
    await findSubscriptionPairs(tx, realm, user),
    peersRemoved,
    new Set(accountIds(nonViewers)),
  )
}

async function findSubscriptionPairs(tx: Transaction, realm: Realm, user: User): Promise<UserChannelPair[]> {
  const channels = await findChannelsById(tx.db, realm.id, [...(await findSubscribedIds(tx.db, user.id))])
  return channels.map((channel) => ({ user, channel }))
}

async function setActive(tx: Transaction, realm: Realm, user: User, isActive: boolean): Promise<void> {
  const fields = isActive ? { deactivatedAt: null, ...beginGrace(tx, realm, user) } : { deactivatedAt: tx.now }
  await saveUserFields(tx, user.id, fields)
  const kind = isActive ? 'account_reactivated' : 'account_deactivated'
  await recordAudit(tx, realm.id, kind, { targetId: user.id })
  // A deactivated account receives no events, so its event queues cannot continue after a reactivation.
  if (!isActive) {
    await deleteQueuesOf(tx, user.id)
    await deleteSessionsOf(tx, user.id)
    await deleteZoomTokens(tx, user)
  }
  const changed = { ...user, ...fields }
  await emitUserChange(tx, realm, changed, { is_active: isActive })
  if (!isActive) await emitPeersRemovedToNonViewers(tx, realm, changed)
  if (isBot(user)) await emitBotChange(tx, realm, changed, { is_active: isActive })
  await emitMembershipChange(tx, realm, user, changed)
}
