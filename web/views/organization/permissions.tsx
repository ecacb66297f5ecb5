import type { ReactNode } from 'react'
import type { RealmPermissionName } from '../../../server/organizations/realms/settings.ts'
import { call } from '../../api/call.ts'
import { useOrganization } from '../../store/organization.ts'
import { GroupSettingField } from '../picking/group-setting-field.tsx'
import '../channels/channel-forms.css'
import { t } from '../../text/t.ts'
import { describeSetting } from '../picking/setting-values.ts'
import { REALM_PERMISSIONS } from './realm-permissions.ts'
import { SavedCheck } from './saved-fields.tsx'
import { mayChangeSetting } from './use-realm-setting.ts'

const NAMES = Object.keys(REALM_PERMISSIONS) as RealmPermissionName[]

/** The organization's permissions. */
export function Permissions(): ReactNode {
  return (
    <section className="card settings-card" aria-label={t('Permissions')}>
      <SavedCheck
        name="enable_spectator_access"
        hint={t('Anyone on the internet can open the files of such channels. Reading messages needs an account.')}
      >
        {t('Allow web-public channels')}
      </SavedCheck>
      {NAMES.map((name) => (
        <Permission key={name} name={name} />
      ))}
    </section>
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
      <div data-setting={name}>
        <b>{text.label}</b>
        <p>{describeSetting(organization, present)}</p>
        <p className="soft small">{t('Only owners can change this.')}</p>
      </div>
    )
  return (
    <div data-setting={name}>
      <GroupSettingField
        {...text}
        present={present}
        rule={rule}
        save={(setting) => call('PATCH /realm', { [name]: { new: setting, old: present } })}
      />
    </div>
  )
}
