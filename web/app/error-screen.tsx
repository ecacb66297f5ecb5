import { useRouter } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { toAppError } from '../store/app-error.ts'
import { ErrorNotice } from '../ui/feedback/error-notice.tsx'
import './error-screen.css'
import { t } from '../text/t.ts'

/** The page that is shown when another one fails. */
export function ErrorScreen({ error }: { error: unknown }): ReactNode {
  const router = useRouter()
  // Without a server, a reload would only show the browser's own error page.
  const retry = () =>
    void fetch('/', { method: 'HEAD' }).then(
      () => location.reload(),
      () => router.invalidate(),
    )
  return (
    <div className="error-screen">
      <ErrorNotice title={t('Couldn’t show this page')} error={toAppError(error)} onRetry={retry} />
    </div>
  )
}
