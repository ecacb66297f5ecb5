import { z } from 'zod'
import type { Realm } from '#realms/realm.ts'
import { isAdministrator, isGuest, isOwner, Role } from '#rules/role.ts'
import type { EmittedOfType } from '#storage/storage.ts'
import { maySeeAddress } from './access.ts'
import type { Bot } from './bots.ts'
import { nativeLanguageName, type UserSettingName } from './user-settings.ts'
import {
  apiEmail,
  avatarUrl,
  mediumAvatarUrl,
  ownAvatarUrl,
  placeholderEmail,
  UNKNOWN_USER_AVATAR,
  UNKNOWN_USER_NAME,
  type User,
} from './users.ts'

// Accounts as clients see them, and the events about changes of accounts. Each value depends on the viewer: it never
// contains an address, a name or an avatar that the viewer may not see.

/** A user's values for custom profile fields, by field id. */
const profileData = z.record(
  z.string(),
  z.strictObject({
    value: z.string().describe('For fields of type user, a JSON list of user ids.'),
    rendered_value: z.string().optional().describe('HTML, for text fields.'),
  }),
)

export type ProfileData = z.infer<typeof profileData>

/** The values of users for custom profile fields, by user id. Users without values are left out. */
export type Profiles = ReadonlyMap<number, ProfileData>

export const userJson = z.object({
  user_id: z.int(),
  email: z.string().describe('The API email address.'),
  delivery_email: z.string().nullable().describe('The real address, or null if the caller may not see it.'),
  full_name: z.string(),
  role: z.int(),
  is_owner: z.boolean(),
  is_admin: z.boolean(),
  is_guest: z.boolean(),
  is_bot: z.boolean(),
  bot_type: z.int().nullable(),
  bot_owner_id: z.int().nullable(),
  is_active: z.boolean(),
  date_joined: z.string().describe('ISO 8601.'),
  timezone: z.string(),
  avatar_url: z.string().nullable().describe('Null if the client can compute the gravatar itself.'),
  avatar_version: z.int(),
  profile_data: profileData.optional(),
})

export type UserJson = z.infer<typeof userJson>

type Options = {
  /** True if the client computes gravatars itself. */
  computesGravatar: boolean
  /** The values of custom profile fields, if they are requested. */
  profiles?: Profiles | undefined
}

/** Returns an account as `viewer` sees it. The viewer must be allowed to see the account. */
export function toUserJson(
  viewer: { id: number; role: number },
  user: User,
  realm: { subdomain: string },
  externalUrl: string,
  { computesGravatar, profiles }: Options,
): UserJson {
  return {
    user_id: user.id,
    email: apiEmail(user, realm, externalUrl),
    delivery_email: maySeeAddress(viewer, user) ? user.deliveryEmail : null,
    full_name: user.fullName,
    role: user.role,
    is_owner: isOwner(user),
    is_admin: isAdministrator(user),
    is_guest: isGuest(user),
    is_bot: user.botType !== null,
    bot_type: user.botType,
    bot_owner_id: user.botOwnerId,
    is_active: user.deactivatedAt === null,
    date_joined: toIsoTime(user.joinedAt),
    timezone: user.timezone,
    avatar_url: avatarUrl(user, computesGravatar),
    avatar_version: user.avatarVersion,
    ...(profiles !== undefined && user.botType === null && { profile_data: profiles.get(user.id) ?? {} }),
  }
}

/** Returns an account for guests who may not see it, without its name. */
export function toUnknownUserJson(user: User, realm: Realm, externalUrl: string): UserJson {
  const email = placeholderEmail(user.id, realm, externalUrl)
  return {
    user_id: user.id,
    email,
    delivery_email: null,
    full_name: UNKNOWN_USER_NAME,
    role: Role.member,
    is_owner: false,
    is_admin: false,
    is_guest: false,
    is_bot: false,
    bot_type: null,
    bot_owner_id: null,
    is_active: true,
    date_joined: toIsoTime(user.joinedAt),
    timezone: '',
    avatar_url: UNKNOWN_USER_AVATAR,
    avatar_version: 1,
  }
}

/** Formats a time with whole seconds, as clients of this API parse it: `2030-01-05T10:00:00+00:00`. */
function toIsoTime(time: number): string {
  return `${new Date(Math.floor(time) * 1000).toISOString().slice(0, 19)}+00:00`
}

/** Returns the event for users who can now see an account that is new or that they could not see before. */
export const userAdded = (person: UserJson) => ({ type: 'realm_user', op: 'add', person }) as const

/**
 * Returns the event for guests who may not see the new account. Clients that can handle unknown user ids do not receive
 * this event.
 */
export const unknownUserAdded = (person: UserJson) => ({ ...userAdded(person), is_unknown: true }) as const

/** Returns the event for a guest who can no longer see the account. */
export const userRemoved = (userId: number) =>
  ({ type: 'realm_user', op: 'remove', person: { user_id: userId, full_name: UNKNOWN_USER_NAME } }) as const

type SettingValue = EmittedOfType<'user_settings'>['value']

/** The fields of an account that can change, as clients see them. */
export type UserChange =
  | { full_name: string }
  | { role: number }
  | { is_active: boolean }
  | { timezone: string; email: string }
  | { bot_owner_id: number }
  | { new_email: string }
  | { delivery_email: string | null }
  | { custom_profile_field: { id: number; value: string | null; rendered_value?: string } }

export const userChanged = (userId: number, change: UserChange) =>
  ({ type: 'realm_user', op: 'update', person: { user_id: userId, ...change } }) as const

export const avatarChanged = (user: User) =>
  ({
    type: 'realm_user',
    op: 'update',
    person: {
      user_id: user.id,
      avatar_source: user.avatarFile === null ? 'G' : 'U',
      avatar_url: ownAvatarUrl(user),
      avatar_url_medium: mediumAvatarUrl(user),
      avatar_version: user.avatarVersion,
    },
  }) as const

/** Returns the event about a changed setting, for the user's own clients. */
export const userSettingChanged = (property: UserSettingName | 'timezone', value: SettingValue) =>
  ({ type: 'user_settings', op: 'update', property, value, ...nameOfLanguage(property, value) }) as const

/** Returns the event about a changed setting for clients that do not support `user_settings`. */
export const displaySettingChanged = (email: string, name: string, value: SettingValue) =>
  ({
    type: 'update_display_settings',
    user: email,
    setting_name: name,
    setting: value,
    ...nameOfLanguage(name, value),
  }) as const

export const notificationSettingChanged = (email: string, name: string, value: SettingValue) =>
  ({ type: 'update_global_notifications', user: email, notification_name: name, setting: value }) as const

const nameOfLanguage = (name: string, value: SettingValue) =>
  name === 'default_language' ? { language_name: nativeLanguageName(String(value)) } : {}

/** Returns the event for the users who manage the new bot: its owner and administrators. */
export const botAdded = (bot: Bot) => ({ type: 'realm_bot', op: 'add', bot }) as const

export const botChanged = (userId: number, change: Partial<Bot>) =>
  ({ type: 'realm_bot', op: 'update', bot: { user_id: userId, ...change } }) as const

/** Returns the event for users who no longer manage the bot. */
export const botRemoved = (userId: number) => ({ type: 'realm_bot', op: 'delete', bot: { user_id: userId } }) as const
