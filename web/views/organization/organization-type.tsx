import type { ReactNode } from 'react'
import { t } from '../../text/t.ts'
import { SelectField } from '../../ui/fields/select-field.tsx'
import { ORGANIZATION_TYPES } from '../settings/organization-types.ts'
import { SettingRow } from '../settings/rows/setting-row.tsx'
import { useRealmSetting } from './use-realm-setting.ts'

/** The type of the organization, saved on change. */
export function OrganizationType(): ReactNode {
  const { value, save, error, ...last } = useRealmSetting('org_type')
  const label = t('Type')
  return (
    <SettingRow id="org_type" label={label} {...last}>
      <SelectField
        label={label}
        description={t('People see it when they join, and in their settings under About Parley.')}
        value={value}
        options={ORGANIZATION_TYPES}
        error={error}
        onChange={save}
      />
    </SettingRow>
  )
}
