import { type ReactNode, useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { t } from '../text/t.ts'
import { TextField } from '../ui/field.tsx'

/** Returns whether the server refused the call because the current password is missing or wrong. */
export const isPasswordRefusal = (error: unknown): boolean => error instanceof ApiError && error.field === 'password'

type CurrentPassword = {
  /** The parameters of the call. */
  params: { password?: string }
  /** The field of the form; null until the server asks for the password. */
  field: ReactNode
  /** Shows the field, or the error at the field, if the server refused the call because of the password. */
  onError: (error: unknown) => void
}

/** The field for the current password. The server needs it if the user logged in more than 10 minutes ago. */
export function useCurrentPassword(): CurrentPassword {
  const [password, setPassword] = useState<string | null>(null)
  const [error, setError] = useState<string | null>(null)
  return {
    params: password === null ? {} : { password },
    field: password !== null && (
      <TextField
        label={t('Current password')}
        name="password"
        type="password"
        autoComplete="current-password"
        autoFocus
        value={password}
        error={error}
        description={t('You logged in a while ago, so confirm it’s you.')}
        onChange={(typed) => {
          setPassword(typed)
          setError(null)
        }}
      />
    ),
    onError(failure) {
      if (!isPasswordRefusal(failure)) return
      if (password === null) setPassword('')
      else setError(password === '' ? t('Enter your current password.') : (failure as ApiError).message)
    },
  }
}
