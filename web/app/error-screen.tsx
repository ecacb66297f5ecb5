import type { ReactNode } from 'react'
import { toTrouble } from '../store/trouble.ts'
import { ErrorNotice } from '../ui/error-notice.tsx'
import './error-screen.css'

/** What stands in place of a page that failed. */
export function ErrorScreen({ error }: { error: unknown }): ReactNode {
  return (
    <div className="error-screen">
      <ErrorNotice title="This page could not be shown" trouble={toTrouble(error)} onRetry={() => location.reload()} />
    </div>
  )
}
