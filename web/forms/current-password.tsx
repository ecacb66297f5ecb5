import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { type AnswerOf, call } from '../api/call.ts'
import { askForPasskey, hasPasskeys } from '../browser/passkeys.ts'
import { toAppError } from '../store/app-error.ts'
import { t } from '../text/t.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'

/** Returns whether the server refused the call because the current password, or another proof, is missing or wrong. */
export const isPasswordRefusal = (error: unknown): boolean =>
  error instanceof ApiError && (error.field === 'password' || error.field === 'old_password')

type CurrentPassword = {
  /** The password for the call; undefined if it needs none. */
  password: string | undefined
  /** The parameters of the call. */
  params: { password?: string }
  /** The field of the form; null until the server asks for the password. */
  field: ReactNode
  /** Shows the field, or the error at the field, if the server refused the call because of the password. */
  onError: (error: unknown) => void
}

/** The user's second factors, and whether they have a password. */
export const secondFactorsQuery = {
  queryKey: ['second-factors'],
  queryFn: ({ signal }: { signal: AbortSignal }) => call('GET /users/me/second_factors', {}, { signal }),
  staleTime: 0,
}

/** Returns whether an authenticator app or a passkey is set up, so that each login asks for it. */
export const isTwoStepOn = ({ totp_added_at, passkeys }: AnswerOf<'GET /users/me/second_factors'>): boolean =>
  totp_added_at !== null || passkeys.length > 0

/**
 * The field for the current password. The server needs it if the user logged in more than 10 minutes ago. A second factor
 * confirms the user as well. Users without a password sign in again.
 */
export function useCurrentPassword(): CurrentPassword {
  const [password, setPassword] = useState<string | null>(null)
  const [error, setError] = useState<string | null>(null)
  const [way, setWay] = useState<'password' | 'sign-in' | 'factor' | 'done'>('password')
  const field =
    way === 'done' ? (
      <Notice kind="good">{t('Confirmed. You can continue.')}</Notice>
    ) : way === 'factor' ? (
      <FactorField onConfirmed={() => setWay('done')} />
    ) : way === 'sign-in' ? (
      <SignInAgain onFactor={() => setWay('factor')} />
    ) : (
      <TextField
        label={t('Current password')}
        name="password"
        type="password"
        autoComplete="current-password"
        autoFocus
        value={password ?? ''}
        error={error}
        description={t('You logged in a while ago, so confirm it’s you.')}
        onChange={(typed) => {
          setPassword(typed)
          setError(null)
        }}
        after={<FactorButton onPress={() => setWay('factor')} />}
      />
    )
  const isGiven = password !== null && way === 'password'
  return {
    password: isGiven ? password : undefined,
    params: isGiven ? { password } : {},
    field: password !== null && field,
    onError(failure) {
      if (!isPasswordRefusal(failure)) return
      setWay((failure as ApiError).code === 'REAUTHENTICATION_REQUIRED' ? 'sign-in' : 'password')
      if (password === null) setPassword('')
      else setError(password === '' ? t('Enter your current password.') : (failure as ApiError).message)
    },
  }
}

/** The button to confirm with a second factor, for users who have one. */
function FactorButton({ onPress }: { onPress: () => void }): ReactNode {
  const { data } = useQuery(secondFactorsQuery)
  return data !== undefined && isTwoStepOn(data) && <Button onPress={onPress}>{t('Use a code instead')}</Button>
}

/** Leads users without a password to the sign-in page and back here. */
function SignInAgain({ onFactor }: { onFactor: () => void }): ReactNode {
  const next = encodeURIComponent(location.pathname + location.search)
  return (
    <Notice isUrgent title={t('Confirm it’s you')}>
      <p>{t('You logged in a while ago. Sign in again to return to this page.')}</p>
      <div className="row">
        <a className="button" href={`/login/?again=1&next=${next}`}>
          {t('Sign in again')}
        </a>
        <FactorButton onPress={onFactor} />
      </div>
    </Notice>
  )
}

/** Confirms the user by a code or a passkey in place of the password. */
function FactorField({ onConfirmed }: { onConfirmed: () => void }): ReactNode {
  const [code, setCode] = useState('')
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (given: 'code' | 'passkey') => {
      if (given === 'code') return call('POST /users/me/confirmation', { code })
      const { options } = await call('POST /users/me/passkeys/challenge', { purpose: 'confirm' })
      return call('POST /users/me/confirmation', { passkey: await askForPasskey(options) })
    },
    onSuccess: onConfirmed,
  })
  return (
    <>
      <TextField
        label={t('Code from your app, or a recovery code')}
        name="code"
        autoComplete="one-time-code"
        autoFocus
        value={code}
        error={error === null ? null : passkeyError(error)}
        onChange={setCode}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          mutate('code')
        }}
        after={
          <Button isPending={isPending} onPress={() => mutate('code')}>
            {t('Confirm')}
          </Button>
        }
      />
      {hasPasskeys() && (
        <div>
          <Button onPress={() => mutate('passkey')}>{t('Use a passkey')}</Button>
        </div>
      )}
    </>
  )
}

/** Returns the text of a failure; browsers throw errors of their own if a passkey is not used. */
export const passkeyError = (error: unknown): string =>
  error instanceof DOMException
    ? error.name === 'InvalidStateError'
      ? t('This device already has a passkey for your account.')
      : t('The passkey could not be used. Try again.')
    : toAppError(error).message
