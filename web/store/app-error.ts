import { ApiError, toErrorReport } from '../api/api-error.ts'
import { t } from '../text/t.ts'
import type { AppError } from '../ui/feedback/error-notice.tsx'
import { NotLoadedError } from './load-part.ts'

/** What went wrong, in the form in which it is shown. */
export function toAppError(error: unknown): AppError {
  const report = toErrorReport(error)
  if (error instanceof ApiError) return { message: error.message, code: error.code, report }
  if (error instanceof NotLoadedError)
    return { message: t('It did not come from the server. Check your connection.'), code: 'NOT_LOADED', report }
  return { message: t('Something in this page went wrong. Reloading it helps in most cases.'), code: 'BUG', report }
}
