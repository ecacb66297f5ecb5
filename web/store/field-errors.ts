import { ApiError } from '../api/api-error.ts'

/**
 * Returns the message of an error by the form field that it is about; nothing if it is about none of them. `fields`
 * maps the server's names of fields to the form's names.
 */
export function fieldErrors<Name extends string>(
  error: unknown,
  fields: Readonly<Record<string, Name>>,
): Partial<Record<Name, string>> {
  if (!(error instanceof ApiError) || error.field === null) return {}
  const name = fields[error.field]
  return name === undefined ? {} : ({ [name]: error.message } as Partial<Record<Name, string>>)
}
