import type { ReactNode } from 'react'
import type { RealmPermissionName } from '#realms/realm-settings.ts'
import { call } from '../../api/call.ts'
import { SettingFact, SettingsGroup } from '../../forms/setting-row.tsx'
import { GroupSettingField } from '../../picking/group-setting-field.tsx'
import { describeSetting } from '../../picking/setting-values.ts'
import { PERMISSION_SECTIONS, REALM_PERMISSIONS } from '../../settings/organization-settings.ts'
import { useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { mayChangeSetting, SavedCheck } from './saved-fields.tsx'

const NAMES = Object.keys(REALM_PERMISSIONS) as RealmPermissionName[]

export function Permissions(): ReactNode {
  return (
    <>
      {Object.entries(PERMISSION_SECTIONS).map(([section, title]) => (
        <SettingsGroup key={section} title={title}>
          {section === 'channels' && <WebPublicChannels />}
          {NAMES.filter((name) => REALM_PERMISSIONS[name]?.section === section).map((name) => (
            <Permission key={name} name={name} />
          ))}
        </SettingsGroup>
      ))}
    </>
  )
}

function WebPublicChannels(): ReactNode {
  return (
    <>
      <SavedCheck
        name="enable_spectator_access"
        hint={t('Anyone on the internet can read these channels, without an account.')}
      >
        {t('Allow web-public channels')}
      </SavedCheck>
      <SavedCheck
        name="allow_search_engines"
        hint={t('Web-public channels can be found on the internet. Otherwise, only people with a link read them.')}
      >
        {t('Let search engines list web-public channels')}
      </SavedCheck>
    </>
  )
}

function Permission({ name }: { name: RealmPermissionName }): ReactNode {
  const organization = useOrganization()
  const text = REALM_PERMISSIONS[name]
  const rule = organization.server_supported_permission_settings.realm[name]
  const present = organization[`realm_${name}`]
  if (text === null || rule === undefined) return null
  if (!mayChangeSetting(organization, name))
    return (
      <SettingFact
        id={name}
        label={text.label}
        value={describeSetting(organization, present)}
        hint={t('Only owners can change this.')}
      />
    )
  return (
    <GroupSettingField
      id={name}
      label={text.label}
      hint={text.hint}
      present={present}
      rule={rule}
      save={(setting) => call('PATCH /realm', { [name]: { new: setting, old: present } })}
    />
  )
}
