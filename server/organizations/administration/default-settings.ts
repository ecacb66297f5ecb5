import { requireSettingValues, settingParams, settingValueRefusals } from '#accounts/change-user-settings.ts'
import { endpoint } from '#http/endpoint.ts'
import { mustBeAdministrator, requireAdministrator } from '#people/access.ts'
import { recordAudit } from '#people/audit.ts'
import {
  readDefaultSettings,
  saveDefaultSettings,
  type UserSettingName,
  type UserSettings,
  userSettingDefaults,
} from '#people/user-settings.ts'
import type { Actor } from '#people/users.ts'
import { lockRealm } from '#realms/queries.ts'
import type { Transaction } from '#storage/storage.ts'
import { emitOrganizationEvents } from './save-organization-changes.ts'

type DefaultSettingChanges = { [Name in UserSettingName]?: UserSettings[Name] | undefined }

/** Changes the personal settings with which new accounts start. Existing accounts keep their own settings. */
async function changeDefaultSettings(tx: Transaction, actor: Actor, given: DefaultSettingChanges): Promise<void> {
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
  for (const [setting, to] of changed) {
    const from = current[setting as UserSettingName]
    await recordAudit(tx, actor.realmId, 'default_setting_changed', { setting, from, to })
  }
  await emitOrganizationEvents(
    tx,
    actor.realmId,
    changed.map(([property, value]) => ({ type: 'realm_user_settings_defaults', op: 'update', property, value })),
  )
}

/** The first four are settings that administrators cannot choose for other users. */
const { default_language, enable_login_emails, enable_marketing_emails, allow_private_data_export, ...chosen } =
  settingParams

const { presence_hidden_until, do_not_disturb_until, ...params } = chosen

export const changeDefaultSettingsEndpoint = endpoint({
  route: 'PATCH /realm/user_settings_defaults',
  summary: 'Change the default settings of new users',
  description: 'Existing users keep their settings.',
  who: 'user',
  params,
  refuses: [mustBeAdministrator, ...settingValueRefusals],
  async handle(call, given) {
    const { transaction, actor } = call
    await transaction((tx) => changeDefaultSettings(tx, actor, given))
    return {}
  },
})
