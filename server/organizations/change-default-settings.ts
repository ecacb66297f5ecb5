import { requireAdministrator } from '#people/users/access.ts'
import { readDefaultSettings, saveDefaultSettings } from '#people/users/settings/default-settings.ts'
import { requireSettingValues } from '#people/users/settings/setting-values.ts'
import { type UserSettingName, type UserSettings, userSettingDefaults } from '#people/users/settings/settings.ts'
import type { Actor } from '#people/users/user.ts'
import { lockRealm } from '#realms/queries.ts'
import type { Transaction } from '#storage/storage.ts'
import { emitOrganizationEvents } from './events.ts'

type DefaultSettingChanges = { [Name in UserSettingName]?: UserSettings[Name] | undefined }

/** Changes the personal settings with which new accounts start. Existing accounts keep their own settings. */
export async function changeDefaultSettings(
  tx: Transaction,
  actor: Actor,
  given: DefaultSettingChanges,
): Promise<void> {
  requireAdministrator(actor)
  requireSettingValues(given)
  await lockRealm(tx, actor.realmId)
  const chosen = await readDefaultSettings(tx.db, actor.realmId)
  const current: UserSettings = { ...userSettingDefaults, ...chosen }
  const changed = Object.entries(given).filter(
    ([name, value]) => value !== undefined && value !== current[name as UserSettingName],
  )
  if (changed.length === 0) return
  await saveDefaultSettings(tx, actor.realmId, { ...chosen, ...Object.fromEntries(changed) })
  await emitOrganizationEvents(
    tx,
    actor.realmId,
    changed.map(([property, value]) => ({ type: 'realm_user_settings_defaults', op: 'update', property, value })),
  )
}
