import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { ApiError } from '../../../api/api-error.ts'
import { call } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import { useOrganization } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { Notice } from '../../../ui/feedback/notice.tsx'
import { TextField } from '../../../ui/fields/field.tsx'

/** The user's email address, which they can change if the organization allows it. */
export function Email(): ReactNode {
  const { is_admin, realm_email_changes_disabled, delivery_email: current } = useOrganization()
  if (!realm_email_changes_disabled || is_admin) return <EmailChange current={current} />
  return (
    <section className="settings-group" aria-label={t('Email address')} data-setting="email">
      <EmailHead current={current} />
      <p className="soft small">{t('Only administrators can change email addresses.')}</p>
    </section>
  )
}

const EmailHead = ({ current }: { current: string }) => (
  <>
    <h2>{t('Email address')}</h2>
    <p>{current}</p>
  </>
)

type EmailErrors = { email?: string; password?: string }

/** The email address, which changes after the user has opened a link sent to the new one. */
function EmailChange({ current }: { current: string }): ReactNode {
  const [given, setGiven] = useState({ email: '', password: '' })
  const [errors, setErrors] = useState<EmailErrors>({})
  const { mutate, isPending, isSuccess, variables, reset } = useMutation({
    mutationFn: ({ email, password }: typeof given) => call('PATCH /settings', { email, old_password: password }),
    onSuccess: () => setGiven({ email: '', password: '' }),
    onError: (error) => {
      const { message } = toAppError(error)
      const isOld = error instanceof ApiError && (error.field === 'old_password' || error.code === 'RATE_LIMIT_HIT')
      setErrors(isOld ? { password: message } : { email: message })
    },
  })

  function change(changed: Partial<typeof given>) {
    setGiven({ ...given, ...changed })
    setErrors({})
    reset()
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    const email = given.email.trim()
    const found: EmailErrors = {
      ...(!/^\S+@\S+$/.test(email) && { email: t('Enter an email address, such as you@example.com.') }),
      ...(given.password === '' && { password: t('Enter your current password.') }),
    }
    setErrors(found)
    if (Object.keys(found).length === 0 && !isPending) mutate({ ...given, email })
  }

  return (
    <form
      className="settings-group settings-form"
      aria-label={t('Email address')}
      data-setting="email"
      noValidate
      onSubmit={submit}
    >
      <EmailHead current={current} />
      <TextField
        label={t('New email address')}
        type="email"
        autoComplete="email"
        value={given.email}
        error={errors.email ?? null}
        description={t(
          'We’ll send a confirmation link to the new address and a notice to the old one. Your address changes when you open the link.',
        )}
        onChange={(email) => change({ email })}
      />
      <TextField
        label={t('Current password')}
        type="password"
        autoComplete="current-password"
        value={given.password}
        error={errors.password ?? null}
        onChange={(password) => change({ password })}
        after={
          <Button type="submit" isPending={isPending}>
            {t('Send confirmation link')}
          </Button>
        }
      />
      {isSuccess && (
        <div role="status">
          <Notice kind="good">{t('We sent a link to {email}.', { email: variables.email })}</Notice>
        </div>
      )}
    </form>
  )
}
