import { useRouter } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { isTransientError } from '../api/api-error.ts'
import { pageUserId } from '../api/session.ts'
import { toAppError } from '../store/app-error.ts'
import { discardCache } from '../store/cache-database.ts'
import { t } from '../text/t.ts'
import { NotLoadedError } from '../ui/load-part.ts'
import { ErrorNotice } from '../ui/notice.tsx'
import * as css from './error-screen.module.css'

/** Replaces a page that fails. */
export function ErrorScreen({ error }: { error: unknown }): ReactNode {
  const router = useRouter()
  // The cached view may be the cause, so the next page loads everything from the server.
  useEffect(() => {
    const userId = pageUserId()
    if (userId !== null && !isTransientError(error) && !(error instanceof NotLoadedError)) discardCache(userId)
  }, [error])
  // Without a server, a reload would only show the browser's own error page.
  const retry = () =>
    void fetch('/', { method: 'HEAD' }).then(
      () => location.reload(),
      () => router.invalidate(),
    )
  return (
    <div className={css.errorScreen}>
      <ErrorNotice title={t('Couldn’t show this page')} error={toAppError(error)} onRetry={retry} />
    </div>
  )
}
