import type { Realm } from '../../organizations/realms/realm.ts'
import type { Transaction } from '../../platform/storage/storage.ts'
import { displaySettingChanged, notificationSettingChanged, userSettingChanged } from '../users/events.ts'
import { olderDisplaySettings, olderNotificationSettings } from '../users/settings/older-settings.ts'
import type { UserSettingName } from '../users/settings/settings.ts'
import { apiEmail, type User } from '../users/user.ts'
import { tell } from './tell-of-user.ts'

/** Tells somebody's own clients of a setting, each in the way that it knows. */
export function tellOfSetting(
  tx: Transaction,
  realm: Realm,
  user: User,
  name: UserSettingName | 'timezone',
  value: unknown,
): void {
  const email = apiEmail(user, realm, tx.db.settings.EXTERNAL_URL)
  tell(tx, realm, userSettingChanged(name, value), [user.id])
  if (isAmong(olderDisplaySettings, name)) tell(tx, realm, displaySettingChanged(email, name, value), [user.id])
  if (isAmong(olderNotificationSettings, name))
    tell(tx, realm, notificationSettingChanged(email, name, value), [user.id])
}

const isAmong = (names: readonly string[], name: string) => names.includes(name)
