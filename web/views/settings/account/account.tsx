import type { ReactNode } from 'react'
import { t } from '../../../text/t.ts'
import { SettingField } from '../rows/setting-field.tsx'
import { SettingsGroup } from '../rows/settings-group.tsx'
import { Deactivation } from './deactivation.tsx'
import { Email } from './email.tsx'
import { Password } from './password.tsx'
import { Sessions } from './sessions.tsx'

/** The user's email address, privacy, password and sessions, and the deactivation of the account. */
export function Account(): ReactNode {
  return (
    <>
      <Email />
      <SettingsGroup title={t('Privacy')}>
        <SettingField name="email_address_visibility" />
        <SettingField name="allow_private_data_export" />
      </SettingsGroup>
      <Password />
      <Sessions />
      <Deactivation />
    </>
  )
}
