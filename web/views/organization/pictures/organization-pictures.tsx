import type { ReactNode } from 'react'
import { useOrganization } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { PictureField } from './picture-field.tsx'
import './pictures.css'

/** Uploads and removes the organization's icon and logos. */
export function OrganizationPictures(): ReactNode {
  const organization = useOrganization()
  const { realm_icon_source, realm_icon_url, realm_logo_source, realm_logo_url } = organization
  const { realm_night_logo_source, realm_night_logo_url } = organization
  return (
    <section className="settings-group settings-form" aria-labelledby="organization-pictures">
      <h2 id="organization-pictures">{t('Icon and logo')}</h2>
      <PictureField
        kind="icon"
        label={t('Icon')}
        description={t(
          'The icon appears in the sidebar, on the login page, in browser tabs and on home screens. It is cropped to a square.',
        )}
        url={realm_icon_source === 'U' ? realm_icon_url : null}
      />
      <PictureField
        kind="logo"
        label={t('Logo')}
        description={t(
          'Replaces the icon and the name in the sidebar. The logo can be at most 8 times as wide as it is tall.',
        )}
        url={realm_logo_source === 'U' ? realm_logo_url : null}
      />
      <PictureField
        kind="night_logo"
        label={t('Logo for the dark theme')}
        description={t('If not set, the dark theme uses the main logo.')}
        url={realm_night_logo_source === 'U' ? realm_night_logo_url : null}
      />
    </section>
  )
}
