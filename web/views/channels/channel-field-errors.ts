import type { FieldErrors } from '../../ui/fields/error-summary.tsx'

const FIELDS: readonly [name: string, words: RegExp][] = [
  ['name', /^Channel (?:name|already has)|character in channel name|^Unable to access channel/],
  ['description', /^description is/],
]

/** Returns the field of a channel that an error of the server is about; nothing if it is about none. */
export function channelFieldErrors(message: string): FieldErrors {
  const field = FIELDS.find(([, text]) => text.test(message))
  return field === undefined ? {} : { [field[0]]: message }
}
