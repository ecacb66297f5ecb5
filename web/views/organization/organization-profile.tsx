import type { ReactNode } from 'react'
import { call } from '../../api/call.ts'
import { useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { AutosaveField } from '../settings/autosave-field.tsx'

/** The organization's name and description. */
export function OrganizationProfile(): ReactNode {
  const { realm_name, realm_description, realm_url } = useOrganization()
  return (
    <section className="card settings-card" aria-label={t('Profile')}>
      <AutosaveField
        label={t('Name')}
        value={realm_name}
        description={t('Shown on every page and in every email. The URL stays {realmUrl}.', { realmUrl: realm_url })}
        check={(value) => (value.trim() === '' ? t('Enter a name.') : null)}
        save={(name) => call('PATCH /realm', { name: name.trim() })}
      />
      <AutosaveField
        label={t('Description')}
        value={realm_description}
        rows={4}
        description={t('Saved when you leave the field.')}
        check={(value) => ([...value].length > 1000 ? t('Use at most 1,000 characters.') : null)}
        save={(description) => call('PATCH /realm', { description })}
      />
    </section>
  )
}
