import { settingParams } from '#accounts/endpoints/setting-params.ts'
import { endpoint } from '#http/endpoint.ts'
import { logActorEvent } from '#http/security-log.ts'
import { mustBeAdministrator } from '#people/users/access.ts'
import { settingValueRefusals } from '#people/users/settings/setting-values.ts'
import { changeDefaultSettings } from '../change-default-settings.ts'

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
    logActorEvent(call, 'organization_changed', { targetId: null, settings: ['user_settings_defaults'] })
    return {}
  },
})
