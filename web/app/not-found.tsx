import { Link } from '@tanstack/react-router'
import Compass from 'lucide-react/icons/compass'
import type { ReactNode } from 'react'
import { t } from '../text/t.ts'
import { Empty } from '../ui/feedback/empty.tsx'

/** What an address shows that leads nowhere. */
export function NotFound(): ReactNode {
  return (
    <Empty icon={<Compass />} isPage title={t('There is nothing here')}>
      <p>{t('The address may be mistyped, or what it led to is gone.')}</p>
      <Link to="/" className="button button-primary">
        {t('Go to the start')}
      </Link>
    </Empty>
  )
}
