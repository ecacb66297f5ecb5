import { Link } from '@tanstack/react-router'
import Compass from 'lucide-react/icons/compass'
import type { ReactNode } from 'react'
import { t } from '../text/t.ts'
import { Empty } from '../ui/feedback/empty.tsx'

export function NotFound(): ReactNode {
  return (
    <Empty icon={<Compass />} isPage title={t('Page not found')}>
      <p>{t('The address may be mistyped, or the page no longer exists.')}</p>
      <Link to="/" className="button button-primary">
        {t('Go to Inbox')}
      </Link>
    </Empty>
  )
}
