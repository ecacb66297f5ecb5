import { ApiError, toErrorReport } from '../api/api-error.ts'
import { t } from '../text/t.ts'
import { NotLoadedError } from '../ui/load-part.ts'
import type { AppError } from '../ui/notice.tsx'

/** Returns an error in the form that the interface shows. */
export function toAppError(error: unknown): AppError {
  const report = toErrorReport(error)
  if (error instanceof ApiError) return { message: messageOf(error), code: error.code, report }
  if (error instanceof NotLoadedError)
    return { message: t('The server didn’t respond. Check your connection.'), code: 'NOT_LOADED', report }
  return { message: t('Something went wrong. Reloading the page usually helps.'), code: 'BUG', report }
}

/**
 * Returns the server's message. If there is none, or if users would not understand it, returns a message of the client.
 */
function messageOf({ code, status, message }: ApiError): string {
  if (code === 'CSRF_FAILED') return t('Someone else has logged in with this browser. Reload the page to continue.')
  if (code === 'UNREACHABLE') return t('The server can’t be reached. Check your connection, and try again.')
  if (message !== '') return message
  return status === 413
    ? t('The file is too large.')
    : t('The server returned error {status}. Try again later.', { status })
}

/**
 * Returns the message of an error under the name of the form field that the error concerns; an empty object if it
 * concerns none of the fields. `fields` maps the server's names of fields to the form's names.
 */
export function fieldErrors<Name extends string>(
  error: unknown,
  fields: Readonly<Record<string, Name>>,
): Partial<Record<Name, string>> {
  if (!(error instanceof ApiError) || error.field === null) return {}
  const name = fields[error.field]
  return name === undefined ? {} : ({ [name]: error.message } as Partial<Record<Name, string>>)
}
