import { displaySettingChanged, notificationSettingChanged, userSettingChanged } from '#people/users/events.ts'
import { legacyDisplaySettings, legacyNotificationSettings } from '#people/users/settings/legacy-settings.ts'
import type { UserSettingName } from '#people/users/settings/settings.ts'
import { apiEmail, type User } from '#people/users/user.ts'
import type { Realm } from '#realms/realm.ts'
import type { EmittedOfType, Transaction } from '#storage/storage.ts'
import { emitTo } from './emit-user-events.ts'

/** Emits a setting to the user's own clients. Older clients also get the event that they support. */
export function emitUserSetting(
  tx: Transaction,
  realm: Realm,
  user: User,
  name: UserSettingName | 'timezone',
  value: EmittedOfType<'user_settings'>['value'],
): void {
  const email = apiEmail(user, realm, tx.db.settings.EXTERNAL_URL)
  emitTo(tx, realm, userSettingChanged(name, value), [user.id])
  if (isAmong(legacyDisplaySettings, name)) emitTo(tx, realm, displaySettingChanged(email, name, value), [user.id])
  if (isAmong(legacyNotificationSettings, name))
    emitTo(tx, realm, notificationSettingChanged(email, name, value), [user.id])
}

const isAmong = (names: readonly string[], name: string) => names.includes(name)
