import { hash } from 'node:crypto'
import { type Realm, realmAddress } from '../../organizations/realms/realm.ts'
import type { Requester } from '../../platform/jobs/fair-queue.ts'
import { isAdministrator, isGuest, Role } from './role.ts'
import { AddressVisibility, type UserSettings } from './settings/settings.ts'

/** An account: of a person or a bot. */
export type User = {
  id: number
  realmId: number
  /** The id of the set of recipients that is this user alone. */
  recipientId: number
  /** The real address, as it was given. */
  deliveryEmail: string
  fullName: string
  role: Role
  /** Null for people; see role.ts. */
  botType: number | null
  botOwnerId: number | null
  joinedAt: number
  deactivatedAt: number | null
  /** The name of the uploaded picture; null while the account shows its gravatar. */
  avatarFile: string | null
  avatarVersion: number
  timezone: string
  settings: UserSettings
}

/** Who makes a request, and in which organization. */
export type Actor = User & { realm: Realm }

export function isBot(user: Pick<User, 'botType'>): boolean {
  return user.botType !== null
}

/** Whose limits count a request: the person's, for their bots as well. */
export const personIdOf = ({ id, botOwnerId }: Pick<User, 'id' | 'botOwnerId'>): number => botOwnerId ?? id

/** The turn in which the server works for an account; the bots of a person share the turn of the person. */
export function turnOf(user: Pick<User, 'id' | 'botOwnerId'>, isLimited: boolean): Requester {
  return { key: personIdOf(user), isLimited }
}

/** Whether a user is among those that somebody may know of (null: all); bots are known to all. */
export function isVisible(visibleIds: ReadonlySet<number> | null, user: Pick<User, 'id' | 'botType'>): boolean {
  return visibleIds === null || isBot(user) || visibleIds.has(user.id)
}

/** The name that stands for people whom a guest may not see. */
export const UNKNOWN_USER_NAME = 'Unknown user'

/** The address of somebody whose real one may not be known. */
export function placeholderEmail(userId: number, realm: { subdomain: string }, externalUrl: string): string {
  return `user${userId}@${realmAddress(realm.subdomain, externalUrl).hostName}`
}

/** The API e-mail address: the real one where everyone may see it, else a placeholder; the same for all who look. */
export function apiEmail(user: User, realm: { subdomain: string }, externalUrl: string): string {
  return user.settings.email_address_visibility === AddressVisibility.everyone
    ? user.deliveryEmail
    : placeholderEmail(user.id, realm, externalUrl)
}

/** Whether `viewer` may see the real address of `user`. */
export function maySeeAddress(viewer: { id: number; role: number }, user: User): boolean {
  if (viewer.id === user.id) return true
  switch (user.settings.email_address_visibility) {
    case AddressVisibility.everyone:
      return true
    case AddressVisibility.members:
      return !isGuest(viewer)
    case AddressVisibility.moderators:
      return viewer.role <= Role.moderator
    case AddressVisibility.administrators:
      return isAdministrator(viewer)
    default:
      return false
  }
}

/** The domain of the server's own bots, which no mail reaches. */
export const SYSTEM_BOT_DOMAIN = 'parley.invalid'

/** The picture that stands for people whom a guest may not see. */
export const UNKNOWN_USER_AVATAR = '/static/unknown-user-avatar.png'

/** The picture of the server's own bots. */
export const SYSTEM_BOT_AVATAR = '/static/system-bot-avatar.png'

/**
 * The picture of an account; null when the client can compute it itself: it asked for that, there is no uploaded
 * picture, and the real address, which gravatars are found by, is visible to everyone.
 */
export function avatarUrl(user: User, computesGravatar: boolean): string | null {
  const isGravatar = user.avatarFile === null && !isSystemBot(user)
  return computesGravatar && isAddressPublic(user) && isGravatar ? null : ownAvatarUrl(user)
}

const isAddressPublic = ({ settings }: User) => settings.email_address_visibility === AddressVisibility.everyone

/** The picture of an account, whatever the client can compute. */
export function ownAvatarUrl(user: User): string {
  if (user.avatarFile !== null) return `/user_avatars/${user.avatarFile}`
  return isSystemBot(user) ? SYSTEM_BOT_AVATAR : gravatarUrl(user, '')
}

/** The picture for places where it is shown large. */
export function mediumAvatarUrl(user: User): string {
  if (user.avatarFile !== null) return `/user_avatars/${user.avatarFile.replace(/\.png$/, '-medium.png')}`
  return isSystemBot(user) ? SYSTEM_BOT_AVATAR : gravatarUrl(user, '&s=500')
}

const gravatarDigests = new WeakMap<User, string>()

/**
 * The gravatar of the address or, where not everybody may see the address, a picture that follows from the id alone: the
 * hash of an address can be guessed, and browsers tell it to another site.
 */
function gravatarUrl(user: User, size: string): string {
  let digest = gravatarDigests.get(user)
  if (digest === undefined) {
    const { deliveryEmail, realmId, id } = user
    digest = hash('md5', isAddressPublic(user) ? deliveryEmail.toLowerCase() : `user ${id} of realm ${realmId}`)
    gravatarDigests.set(user, digest)
  }
  return `https://secure.gravatar.com/avatar/${digest}?d=identicon${size}&version=${user.avatarVersion}`
}

function isSystemBot(user: User): boolean {
  return user.deliveryEmail.endsWith(`@${SYSTEM_BOT_DOMAIN}`)
}
