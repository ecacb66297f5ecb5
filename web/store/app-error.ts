import { ApiError, toErrorReport } from '../api/api-error.ts'
import { t } from '../text/t.ts'
import type { AppError } from '../ui/feedback/error-notice.tsx'
import { NotLoadedError } from './load-part.ts'

/** Returns an error in the form in which the interface shows it. */
export function toAppError(error: unknown): AppError {
  const report = toErrorReport(error)
  if (error instanceof ApiError) return { message: error.message, code: error.code, report }
  if (error instanceof NotLoadedError)
    return { message: t('The server didn’t respond. Check your connection.'), code: 'NOT_LOADED', report }
  return { message: t('Something went wrong. Reloading the page usually helps.'), code: 'BUG', report }
}
