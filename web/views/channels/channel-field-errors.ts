import type { FieldErrors } from '../../ui/fields/error-summary.tsx'

const FIELDS: readonly [name: string, words: RegExp][] = [
  ['name', /^Channel (?:name|already has)|character in channel name|^Unable to access channel/],
  ['description', /^description is/],
]

/** Beside which field of a channel a refusal of the server belongs; nothing where it is about none of them. */
export function channelFieldErrors(message: string): FieldErrors {
  const field = FIELDS.find(([, text]) => text.test(message))
  return field === undefined ? {} : { [field[0]]: message }
}
