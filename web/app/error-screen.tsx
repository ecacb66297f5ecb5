import { useRouter } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { toAppError } from '../store/app-error.ts'
import { ErrorNotice } from '../ui/feedback/error-notice.tsx'
import './error-screen.css'
import { t } from '../text/t.ts'

/** What stands in place of a page that failed. */
export function ErrorScreen({ error }: { error: unknown }): ReactNode {
  const router = useRouter()
  // Where the server is silent, a reload would leave nothing but what the browser says of that.
  const retry = () =>
    void fetch('/', { method: 'HEAD' }).then(
      () => location.reload(),
      () => router.invalidate(),
    )
  return (
    <div className="error-screen">
      <ErrorNotice title={t('Couldn’t show this page')} trouble={toAppError(error)} onRetry={retry} />
    </div>
  )
}
