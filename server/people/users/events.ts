import type { EmittedOfType } from '#storage/storage.ts'
import type { Bot } from './bots/bot.ts'
import { nativeLanguageName } from './settings/language-name.ts'
import type { UserSettingName } from './settings/settings.ts'
import { mediumAvatarUrl, ownAvatarUrl, UNKNOWN_USER_NAME, type User } from './user.ts'
import type { UserJson } from './user-json.ts'

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
