import { Link } from '@tanstack/react-router'
import Compass from 'lucide-react/icons/compass'
import type { ReactNode } from 'react'
import { t } from '../text/t.ts'
import { EmptyPage } from './page-frame.tsx'

export function NotFound(): ReactNode {
  return (
    <EmptyPage icon={<Compass />} title={t('Page not found')}>
      <p>{t('The address may be mistyped, or the page no longer exists.')}</p>
      <Link to="/" className="button button-primary">
        {t('Go to Inbox')}
      </Link>
    </EmptyPage>
  )
}
