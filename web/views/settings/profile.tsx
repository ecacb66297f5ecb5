import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { toAppError } from '../../store/app-error.ts'
import { findOwnAccount, useOrganization } from '../../store/organization.ts'
import { roleName } from '../../store/people/role.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { Notice } from '../../ui/feedback/notice.tsx'
import { showToast } from '../../ui/feedback/toasts.ts'
import { ComboField } from '../../ui/fields/combo-field.tsx'
import { TextField } from '../../ui/fields/field.tsx'
import { Badge } from '../../ui/text/badge.tsx'
import { AutosaveField } from './autosave-field.tsx'
import { OwnPicture } from './own-picture.tsx'
import { OwnProfileFields } from './own-profile-fields.tsx'

const ZONES = Intl.supportedValuesOf('timeZone').map((id) => ({ id, label: id.replaceAll('_', ' ') }))

/** The user's picture, name, email address and time zone. */
export function Profile(): ReactNode {
  const organization = useOrganization()
  const account = findOwnAccount(organization)
  const name = account?.full_name ?? organization.full_name
  const { is_admin, realm_name_changes_disabled, realm_email_changes_disabled } = organization
  const isNameFixed = realm_name_changes_disabled && !is_admin
  const isEmailFixed = realm_email_changes_disabled && !is_admin
  const { mutate: saveZone } = useMutation({
    mutationFn: (timezone: string) => call('PATCH /settings', { timezone }),
    onSuccess: () => showToast(t('Time zone saved')),
    onError: (error) => showToast(toAppError(error).message, { kind: 'error' }),
  })
  return (
    <div className="stack">
      <section className="card settings-card" aria-label={t('Profile')}>
        <OwnPicture name={name}>
          <b>{name}</b>
          <Badge kind="accent">{roleName(account?.role ?? 400)}</Badge>
        </OwnPicture>
        <AutosaveField
          label={t('Name')}
          value={name}
          autoComplete="name"
          description={isNameFixed ? t('Only administrators can change names.') : t('Shown next to your messages.')}
          isReadOnly={isNameFixed}
          check={(value) => (value.trim() === '' ? t('Enter a name.') : null)}
          save={(full_name) => call('PATCH /settings', { full_name: full_name.trim() })}
        />
        <ComboField
          label={t('Time zone')}
          value={account?.timezone || null}
          onChoose={saveZone}
          options={ZONES}
          placeholder={t('Find a city')}
          description={t('Lets others see your local time.')}
        />
      </section>
      <OwnProfileFields />
      {isEmailFixed ? (
        <section className="card settings-card" aria-label={t('Email address')}>
          <EmailHead current={organization.delivery_email} />
          <p className="soft small">{t('Only administrators can change email addresses.')}</p>
        </section>
      ) : (
        <EmailChange current={organization.delivery_email} />
      )}
    </div>
  )
}

const EmailHead = ({ current }: { current: string }) => (
  <div>
    <h2>{t('Email address')}</h2>
    <p className="soft">{current}</p>
  </div>
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
    <form className="card settings-card" aria-label={t('Email address')} noValidate onSubmit={submit}>
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
