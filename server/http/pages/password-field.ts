import { MIN_PASSWORD_LENGTH } from '../../people/users/passwords/passwords.ts'
import type { Html } from '../../platform/encoding/html.ts'
import { field } from './form.ts'

/** Where somebody chooses a password, with what it must be like. */
export function newPasswordField(options: {
  name?: string
  label?: string
  error: string | undefined
  /** Said in place of what a password must be like. */
  hint?: string
  isOptional?: boolean
  isFocused?: boolean
}): Html {
  const { name = 'password', label = 'Password', error, isOptional, isFocused } = options
  const hint =
    options.hint ??
    `At least ${MIN_PASSWORD_LENGTH} characters. Longer is better than stranger: three or four words are strong.`
  return field({ name, label, type: 'password', hint, error, autocomplete: 'new-password', isOptional, isFocused })
}
