import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import { ApiError } from '../../../api/api-error.ts'
import { call } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import { useOrganization } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { Notice } from '../../../ui/feedback/notice.tsx'
import { ErrorSummary, focusFirst } from '../../../ui/fields/error-summary.tsx'
import { TextField } from '../../../ui/fields/field.tsx'

type Errors = { old?: string; new?: string }

/** Changes the password. This ends the sessions on other devices. */
export function Password(): ReactNode {
  const { delivery_email } = useOrganization()
  const [given, setGiven] = useState({ old: '', new: '' })
  const [errors, setErrors] = useState<Errors>({})
  const [isShown, show] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const { mutate, isPending, isSuccess } = useMutation({
    mutationFn: () => call('PATCH /settings', { old_password: given.old, new_password: given.new }),
    onSuccess: () => setGiven({ old: '', new: '' }),
    onError: (error) => {
      const { message } = toAppError(error)
      const isOld = error instanceof ApiError && (error.field === 'old_password' || error.code === 'RATE_LIMIT_HIT')
      showErrors(isOld ? { old: message } : { new: message })
    },
  })

  function showErrors(found: Errors) {
    setErrors(found)
    focusFirst(form.current, found)
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    if (isPending) return
    const found: Errors = {
      ...(given.old === '' && { old: t('Enter your current password.') }),
      ...(given.new === '' && { new: t('Enter a new password.') }),
    }
    showErrors(found)
    if (Object.keys(found).length === 0) mutate()
  }

  const type = isShown ? 'text' : 'password'
  return (
    <form
      ref={form}
      className="settings-group settings-form"
      aria-labelledby="password-title"
      data-setting="password"
      noValidate
      onSubmit={submit}
    >
      <h2 id="password-title">{t('Password')}</h2>
      <input type="hidden" name="username" autoComplete="username" value={delivery_email} readOnly />
      <ErrorSummary errors={errors} />
      <TextField
        label={t('Current password')}
        name="old"
        type={type}
        autoComplete="current-password"
        value={given.old}
        error={errors.old ?? null}
        onChange={(old) => setGiven({ ...given, old })}
      />
      <TextField
        label={t('New password')}
        name="new"
        type={type}
        autoComplete="new-password"
        value={given.new}
        error={errors.new ?? null}
        description={t('Use a few unrelated words.')}
        onChange={(value) => setGiven({ ...given, new: value })}
      />
      {isSuccess && (
        <div role="status">
          <Notice kind="good">{t('Password changed. Other browsers need to log in again.')}</Notice>
        </div>
      )}
      <div className="row between">
        <Button kind="quiet" onPress={() => show(!isShown)} aria-pressed={isShown}>
          {isShown ? t('Hide passwords') : t('Show passwords')}
        </Button>
        <Button type="submit" kind="primary" isPending={isPending}>
          {t('Change password')}
        </Button>
      </div>
    </form>
  )
}
