import type { ReactNode } from 'react'
import { t } from '../text/t.ts'
import { Loading } from '../ui/feedback/loading.tsx'

/** What stands in place of a page that is on its way. */
export function PendingScreen(): ReactNode {
  return <Loading label={t('Loading page')} lines={6} />
}
