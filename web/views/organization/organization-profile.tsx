import type { ReactNode } from 'react'
import { call } from '../../api/call.ts'
import { useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { AutosaveField } from '../settings/autosave-field.tsx'
import { DeactivateOrganization } from './deactivate-organization.tsx'
import { OrganizationType } from './organization-type.tsx'
import { OrganizationPictures } from './pictures/organization-pictures.tsx'

/** The organization's name, type, description and pictures, and its deactivation. */
export function OrganizationProfile(): ReactNode {
  const { realm_name, realm_description, realm_url } = useOrganization()
  return (
    <>
      <section className="settings-group settings-form" aria-label={t('Profile')}>
        <AutosaveField
          id="name"
          label={t('Name')}
          value={realm_name}
          description={t('The name appears on every page and in every email. The URL stays {realmUrl}.', {
            realmUrl: realm_url,
          })}
          check={checkName}
          save={(name) => call('PATCH /realm', { name: name.trim() })}
        />
        <OrganizationType />
        <AutosaveField
          id="description"
          label={t('Description')}
          value={realm_description}
          rows={4}
          check={(value) => ([...value].length > 1000 ? t('Use at most 1,000 characters.') : null)}
          save={(description) => call('PATCH /realm', { description })}
        />
      </section>
      <OrganizationPictures />
      <DeactivateOrganization />
    </>
  )
}

/** The server's maximum length of the name, in code points. */
const MAX_NAME = 40

function checkName(value: string): string | null {
  const name = value.trim()
  if (name === '') return t('Enter a name.')
  return [...name].length > MAX_NAME ? t('Use at most {max} characters.', { max: MAX_NAME }) : null
}
