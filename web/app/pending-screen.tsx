import type { ReactNode } from 'react'
import { t } from '../text/t.ts'
import { Loading } from '../ui/feedback/loading.tsx'

/** The placeholder for a page that is loading. */
export function PendingScreen(): ReactNode {
  return <Loading label={t('Loading page')} lines={6} />
}
