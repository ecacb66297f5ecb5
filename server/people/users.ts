import { hash } from 'node:crypto'
import { refusal } from '#lib/errors.ts'
import type { Requester } from '#lib/fair-queue.ts'
import { trimWhitespace } from '#lib/text.ts'
import { type Realm, realmAddress } from '#realms/realm.ts'
import { Role } from '#rules/role.ts'
import { MAX_LENGTH } from '#rules/shared-limits.ts'
import { AddressVisibility, type UserSettings, userSettingDefaults } from './user-settings.ts'

// An account of a person or a bot: its fields, name, avatar and addresses. The real address of an account is shown
// only to those whom its settings permit; everyone else sees a placeholder address, which the API accepts as well.

/** An account of a person or a bot. */
export type User = {
  id: number
  realmId: number
  /** The id of the recipient set that contains only this user. */
  recipientId: number
  /** The real address as the user entered it. */
  deliveryEmail: string
  fullName: string
  role: Role
  /** The type of a bot, as in `BotType`; null for people. */
  botType: number | null
  botOwnerId: number | null
  joinedAt: number
  deactivatedAt: number | null
  /** The time at which the organization's requirement of a second factor first applied; null if it never did. */
  secondFactorRequiredAt: number | null
  /** The file name of the uploaded avatar; null if the account uses its gravatar. */
  avatarFile: string | null
  avatarVersion: number
  timezone: string
  settings: UserSettings
}

/** The user who makes a request, with their organization. */
export type Actor = User & { realm: Realm }

/** The id of spectators, who read without an account. No account has it. */
const SPECTATOR_ID = 0

/**
 * Returns a visitor without an account as the actor of a call. Access functions let a spectator read web-public channels,
 * and nothing else.
 */
export const spectatorOf = (realm: Realm): Actor => ({
  id: SPECTATOR_ID,
  realmId: realm.id,
  recipientId: 0,
  deliveryEmail: '',
  fullName: '',
  role: Role.guest,
  botType: null,
  botOwnerId: null,
  joinedAt: 0,
  deactivatedAt: null,
  secondFactorRequiredAt: null,
  avatarFile: null,
  avatarVersion: 1,
  timezone: '',
  settings: userSettingDefaults,
  realm,
})

export const isSpectator = ({ id }: Pick<User, 'id'>): boolean => id === SPECTATOR_ID

export function isBot(user: Pick<User, 'botType'>): boolean {
  return user.botType !== null
}

/** Returns the id of the user whose limits apply. For a bot, it is the owner. */
export const personIdOf = ({ id, botOwnerId }: Pick<User, 'id' | 'botOwnerId'>): number => botOwnerId ?? id

/** Returns the requester in a fair queue. A user and their bots count as one requester. */
export function requesterOf(user: Pick<User, 'id' | 'botOwnerId'>, isLimited: boolean): Requester {
  return { key: personIdOf(user), isLimited }
}

/** Returns whether `visibleIds` allows seeing the user. Null allows all users. Bots are visible to everyone. */
export function isVisible(visibleIds: ReadonlySet<number> | null, user: Pick<User, 'id' | 'botType'>): boolean {
  return visibleIds === null || isBot(user) || visibleIds.has(user.id)
}

/** The name shown for users that a guest may not see. */
export const UNKNOWN_USER_NAME = 'Unknown user'

/** Returns the placeholder address, which clients see instead of a hidden real address. */
export function placeholderEmail(userId: number, realm: { subdomain: string }, externalUrl: string): string {
  return `user${userId}@${realmAddress(realm.subdomain, externalUrl).hostName}`
}

/**
 * Returns the API email address: the real address if everyone may see it, otherwise the placeholder address. It is the
 * same for all viewers.
 */
export function apiEmail(user: User, realm: { subdomain: string }, externalUrl: string): string {
  return user.settings.email_address_visibility === AddressVisibility.everyone
    ? user.deliveryEmail
    : placeholderEmail(user.id, realm, externalUrl)
}

/** The email domain of the server's own bots. It does not exist. */
export const SYSTEM_BOT_DOMAIN = 'parley.invalid'

/** The avatar shown for users that a guest may not see. */
export const UNKNOWN_USER_AVATAR = '/static/unknown-user-avatar.png'

/** The avatar of the server's own bots. */
export const SYSTEM_BOT_AVATAR = '/static/system-bot-avatar.png'

/**
 * Returns the URL of the avatar; null if the client computes gravatars itself and can compute this one. It can do so if
 * the account has no uploaded avatar and everyone may see its real address.
 */
export function avatarUrl(user: User, computesGravatar: boolean): string | null {
  const isGravatar = user.avatarFile === null && !isSystemBot(user)
  return computesGravatar && isAddressPublic(user) && isGravatar ? null : ownAvatarUrl(user)
}

const isAddressPublic = ({ settings }: User) => settings.email_address_visibility === AddressVisibility.everyone

/** Returns the URL of the avatar, even if the client could compute it. */
export function ownAvatarUrl(user: User): string {
  if (user.avatarFile !== null) return `/user_avatars/${user.avatarFile}`
  return isSystemBot(user) ? SYSTEM_BOT_AVATAR : gravatarUrl(user, '')
}

/** Returns the URL of the avatar for people without an account. It reveals nothing about the address. */
export const publicAvatarUrl = (user: User): string =>
  user.avatarFile === null && !isSystemBot(user) ? toGravatarUrl(user, anonymousDigest(user), '') : ownAvatarUrl(user)

/** Returns the URL of the larger version of the avatar. */
export function mediumAvatarUrl(user: User): string {
  if (user.avatarFile !== null) return `/user_avatars/${user.avatarFile.replace(/\.png$/, '-medium.png')}`
  return isSystemBot(user) ? SYSTEM_BOT_AVATAR : gravatarUrl(user, '&s=500')
}

const gravatarDigests = new WeakMap<User, string>()

/**
 * Returns the URL of the gravatar of the account's address. If the address is not visible to everyone, the gravatar is
 * derived from the user id instead, because an address can be guessed from its hash, and browsers send the hash to
 * another site.
 */
function gravatarUrl(user: User, size: string): string {
  let digest = gravatarDigests.get(user)
  if (digest === undefined) {
    digest = isAddressPublic(user) ? hash('md5', user.deliveryEmail.toLowerCase()) : anonymousDigest(user)
    gravatarDigests.set(user, digest)
  }
  return toGravatarUrl(user, digest, size)
}

const anonymousDigest = ({ id, realmId }: User) => hash('md5', `user ${id} of realm ${realmId}`)

function toGravatarUrl(user: User, digest: string, size: string): string {
  return `https://secure.gravatar.com/avatar/${digest}?d=identicon${size}&version=${user.avatarVersion}`
}

function isSystemBot(user: User): boolean {
  return user.deliveryEmail.endsWith(`@${SYSTEM_BOT_DOMAIN}`)
}

const nameTooShort = refusal('BAD_REQUEST', 400, 'Name too short!', { field: 'full_name' })
const nameTooLong = refusal('BAD_REQUEST', 400, 'Name too long!', { field: 'full_name' })
const nameCharacters = refusal('BAD_REQUEST', 400, 'Invalid characters in name!', { field: 'full_name' })
const nameFormat = refusal('BAD_REQUEST', 400, 'Invalid format!', { field: 'full_name' })

export const fullNameRefusals = [nameTooShort, nameTooLong, nameCharacters, nameFormat]

/** The characters that names cannot contain: those that delimit mentions, and invisible ones. */
const FORBIDDEN = /[*`\\"@\p{C}]/u

/** Returns the name without surrounding white space. Refuses an invalid name. */
export function requireFullName(given: string): string {
  const name = trimWhitespace(given)
  if (name === '') throw nameTooShort()
  if (Array.from(name).length > MAX_LENGTH.fullName) throw nameTooLong()
  if (FORBIDDEN.test(name)) throw nameCharacters()
  // A name such as `Ada|17` would be read as a mention of another account.
  if (/\|\d+$/.test(name)) throw nameFormat()
  return name
}
