import { ApiError } from '../api/api-error.ts'

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
