import type { ReactNode } from 'react'
import { CALL_SERVER_ADDRESS, MAX_CALL_SERVER_LENGTH } from '#rules/limits.ts'
import { call } from '../../api/call.ts'
import { useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { SelectField } from '../../ui/fields/select-field.tsx'
import { AutosaveField } from '../settings/autosave-field.tsx'
import { SettingRow } from '../settings/rows/setting-row.tsx'
import { SettingsGroup } from '../settings/rows/settings-group.tsx'
import { useRealmSetting } from './use-realm-setting.ts'

const NO_CALLS = 0

/** The provider of calls, and the address of its server. */
export function CallSettings(): ReactNode {
  const { realm_available_video_chat_providers: providers } = useOrganization()
  const { value, save, error, ...last } = useRealmSetting('video_chat_provider')
  const label = t('Call provider')
  return (
    <SettingsGroup title={t('Calls')}>
      <SettingRow id="video_chat_provider" label={label} {...last}>
        <SelectField
          label={label}
          description={t('The compose box has buttons that insert a link to a new call.')}
          value={value}
          options={Object.values(providers).map(({ id, name }) => ({ id, label: id === NO_CALLS ? t('None') : name }))}
          error={error}
          onChange={save}
        />
      </SettingRow>
      {value !== NO_CALLS && <ServerField />}
    </SettingsGroup>
  )
}

function ServerField(): ReactNode {
  const { realm_jitsi_server_url, server_jitsi_server_url } = useOrganization()
  return (
    <AutosaveField
      id="jitsi_server_url"
      label={t('Jitsi server')}
      type="url"
      value={realm_jitsi_server_url ?? ''}
      description={
        server_jitsi_server_url === null
          ? t('The address of your own server. The buttons appear when you enter one.')
          : t('The address of your own server. Leave this empty to use {server}.', { server: server_jitsi_server_url })
      }
      check={checkServer}
      save={(address) => call('PATCH /realm', { jitsi_server_url: JSON.stringify(address || 'default') })}
    />
  )
}

function checkServer(address: string): string | null {
  if (address === '') return null
  if (address.length > MAX_CALL_SERVER_LENGTH)
    return t('Use at most {max} characters.', { max: MAX_CALL_SERVER_LENGTH })
  return CALL_SERVER_ADDRESS.test(address)
    ? null
    : t('Enter an address that begins with https://, such as https://meet.example.com, without spaces, “?” or “#”.')
}
