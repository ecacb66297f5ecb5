import type { Html } from '#lib/encoding/html.ts'
import { t } from '#lib/text/t.ts'
import { MIN_PASSWORD_LENGTH } from '#people/users/passwords/passwords.ts'
import { field } from './form.ts'

/** Renders the field for a new password with its requirements. */
export function newPasswordField(options: {
  name?: string
  label?: string
  error: string | undefined
  /** Replaces the requirements. */
  hint?: string
  isOptional?: boolean
  isFocused?: boolean
  /** The name of the organization, which must not be the password. */
  organization: string
}): Html {
  const { name = 'password', label = t('Password'), error, isOptional, isFocused, organization } = options
  const hint =
    options.hint ??
    t('At least {limit} characters. Three or four unrelated words make a strong password.', {
      limit: MIN_PASSWORD_LENGTH,
    })
  const autocomplete = 'new-password'
  return field({ name, label, type: 'password', hint, error, autocomplete, isOptional, isFocused, organization })
}
