import { isSubscribed, isViewerSubscribed, NO_CHANNEL_ID } from '#channels/access.ts'
import { type Channel, requireChannelName } from '#channels/channel.ts'
import { findChannel, findChannelByName } from '#channels/queries.ts'
import { isInSetting, type MembershipScope, type Viewer, viewerOf } from '#groups/viewer.ts'
import { refusal } from '#lib/errors.ts'
import { findUserByApiEmail } from '#people/access.ts'
import { isSystemBotAddress } from '#people/bots.ts'
import { findUser } from '#people/user-queries.ts'
import { type Actor, apiEmail, isBot, isVisible, type User } from '#people/users.ts'
import { findRealmBySubdomain } from '#realms/queries.ts'
import { SYSTEM_SUBDOMAIN } from '#realms/realm.ts'
import { hasMetadataAccess, mayListMessages } from '#rules/permissions.ts'
import type { Db } from '#storage/storage.ts'
import { findDirectConversation } from '../queries.ts'

export const noRecipients = refusal('BAD_REQUEST', 400, 'Message must have recipients', { field: 'to' })
export const invalidEmail = refusal('BAD_REQUEST', 400, "Invalid email '{email}'", { field: 'to' })
export const invalidUserId = refusal('BAD_REQUEST', 400, 'Invalid user ID {id}', { field: 'to' })

/**
 * Returns the named users without duplicates, including deactivated users. Only system bots may belong to another
 * organization.
 */
export async function requireDirectRecipients(
  viewer: Viewer,
  target: readonly number[] | readonly string[],
): Promise<User[]> {
  const { db, actor, now } = viewer
  if (target.length === 0) throw noRecipients()
  const people = new Map<number, User>()
  for (const key of new Set<number | string>(target)) {
    const person =
      typeof key === 'number' ? await requireUserById(db, actor, key) : await requireUserByEmail(db, actor, key, now)
    people.set(person.id, person)
  }
  return [...people.values()]
}

async function requireUserById(db: Db, actor: Actor, id: number): Promise<User> {
  const user = await findUser(db, Number.isSafeInteger(id) ? id : 0)
  if (user === null || (user.realmId !== actor.realmId && !isSystemBotAddress(user.deliveryEmail)))
    throw invalidUserId({ id })
  return user
}

async function requireUserByEmail(db: Db, actor: Actor, email: string, now: number): Promise<User> {
  const realm = isSystemBotAddress(email) ? await findRealmBySubdomain(db, SYSTEM_SUBDOMAIN) : actor.realm
  const visibleIds = await viewerOf(db, actor, now).visibleIds()
  const isVisibleUser = (user: User) => isVisible(visibleIds, user)
  const user = realm === null ? null : await findUserByApiEmail(db, realm, email, isVisibleUser)
  if (user === null) throw invalidEmail({ email })
  return user
}

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

export const noChannelNamed = refusal('STREAM_DOES_NOT_EXIST', 400, "Channel '{name}' does not exist", {
  field: 'to',
  extras: ({ name }: { name: string }) => ({ stream: name }),
})
export const noChannelWithId = refusal('STREAM_DOES_NOT_EXIST', 400, "Channel with ID '{id}' does not exist", {
  field: 'to',
  extras: ({ id }: { id: number }) => ({ stream_id: id }),
})
export const notAuthorizedToSend = refusal('BAD_REQUEST', 400, "Not authorized to send to channel '{name}'")
export const mayNotPost = refusal('BAD_REQUEST', 400, 'You do not have permission to post in this channel.')

/**
 * Returns the channel if the actor may send to it. Refuses a hidden channel like a missing one. Both cases run the same
 * queries.
 */
export async function requireSendableChannel(viewer: Viewer, target: number | string): Promise<Channel> {
  const { db, actor } = viewer
  const found =
    typeof target === 'number'
      ? await findChannel(db, actor.realmId, Number.isSafeInteger(target) ? target : 0)
      : await findChannelByName(db, actor.realmId, requireChannelName(target))
  const notFound = () =>
    typeof target === 'number' ? noChannelWithId({ id: target }) : noChannelNamed({ name: target })
  return requireMaySend(viewer, found, notFound)
}

/**
 * Returns the channel if the actor may send to it. Refuses with `notFound` if the channel is null or hidden from the
 * actor.
 */
export async function requireMaySend(viewer: Viewer, channel: Channel | null, notFound: () => Error): Promise<Channel> {
  const { db, actor } = viewer
  const scope = await viewer.scope()
  const [ownAccess, ownerAccess] = await findAccess(viewer, scope, channel)
  if (channel === null || (ownAccess === 'none' && ownerAccess === 'none')) throw notFound()
  if (channel.archivedAt !== null) throw notAuthorizedToSend({ name: channel.name })
  if (ownAccess !== 'content' && ownerAccess !== 'content') throw notAuthorizedToSend({ name: channel.name })
  if (!isInSetting(scope, actor, channel.settings.can_send_message_group)) {
    const owner = await findOwner(db, actor)
    if (owner === null || !isInSetting(scope, owner, channel.settings.can_send_message_group)) throw mayNotPost()
  }
  return channel
}

type Access = 'none' | 'metadata' | 'content'

/** Returns the access of the actor, and the access of the actor's owner. Bots may send where their owner may. */
async function findAccess(
  viewer: Viewer,
  scope: MembershipScope,
  channel: Channel | null,
): Promise<[ownAccess: Access, ownerAccess: Access]> {
  const { db, actor } = viewer
  const ownAccess = await findUserAccess(scope, actor, channel, (id) => isViewerSubscribed(viewer, id))
  if (ownAccess === 'content') return [ownAccess, 'none']
  const owner = await findOwner(db, actor)
  if (owner === null) return [ownAccess, 'none']
  return [ownAccess, await findUserAccess(scope, owner, channel, (id) => isSubscribed(db, owner.id, id))]
}

async function findUserAccess(
  scope: MembershipScope,
  user: User,
  channel: Channel | null,
  isSubscribedTo: (channelId: number) => Promise<boolean>,
): Promise<Access> {
  // With protected history, users other than subscribers would not receive their own messages, so only subscribers may
  // send.
  const isProtected = channel?.isPrivate && !channel.isHistoryShared
  if (channel !== null && !isProtected && mayListMessages(scope, user, channel, false)) return 'content'
  const isSubscriber = await isSubscribedTo(channel?.id ?? NO_CHANNEL_ID)
  if (channel === null) return 'none'
  if (isSubscriber) return 'content'
  return hasMetadataAccess(scope, user, channel, false) ? 'metadata' : 'none'
}

async function findOwner(db: Db, bot: User): Promise<User | null> {
  const owner = bot.botOwnerId === null ? null : await findUser(db, bot.botOwnerId)
  return owner === null || owner.deactivatedAt !== null ? null : owner
}
