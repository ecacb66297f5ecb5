import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useOrganizationPart } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import '../../../ui/layout/chips.css'

/** Links to the drafts and to the scheduled messages. */
export function UnsentTabs(): ReactNode {
  const count = useOrganizationPart(({ scheduled_messages }) => scheduled_messages.length)
  return (
    <nav className="chips" aria-label={t('Drafts and scheduled')}>
      <Link to="/drafts" className="chip">
        {t('Drafts')}
      </Link>
      <Link to="/scheduled" className="chip">
        {t('Scheduled')} {count > 0 && count}
      </Link>
    </nav>
  )
}
