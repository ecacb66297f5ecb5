import EyeOff from 'lucide-react/icons/eye-off'
import type { ReactNode } from 'react'
import { useOrganization } from '../../store/organization.ts'
import { Notice } from '../../ui/feedback/notice.tsx'
import { PageHead } from '../../ui/layout/page.tsx'
import { PeoplePane } from './people-pane.tsx'
import './people.css'
import { t } from '../../text/t.ts'

/** All visible users with their presence. */
export function People(): ReactNode {
  const { realm_name, realm_presence_disabled, user_settings } = useOrganization()
  return (
    <div className="people-page">
      <PageHead title={t('People')} within={realm_name}>
        <p>{t('Everyone in the organization.')}</p>
      </PageHead>
      {realm_presence_disabled ? (
        <Notice title={t('Availability is turned off')}>
          <p>{t('Your organization hides everyone’s availability.')}</p>
        </Notice>
      ) : (
        user_settings.presence_enabled === false && (
          <p className="row soft small">
            <EyeOff className="icon" aria-hidden="true" /> {t('Your availability is hidden. You appear offline.')}
          </p>
        )
      )}
      <section className="people-whole" aria-label={t('People')}>
        <PeoplePane />
      </section>
    </div>
  )
}
