import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { removePersonalDataAfter } from '../../browser/personal-data.ts'
import { isPasswordRefusal, secondFactorsQuery, useCurrentPassword } from '../../forms/current-password.tsx'
import { SettingsEnd, SettingsGroup } from '../../forms/setting-row.tsx'
import * as css from '../../forms/settings.module.css'
import { toAppError } from '../../store/app-error.ts'
import { useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { ErrorSummary, focusFirst } from '../../ui/error-summary.tsx'
import { CheckboxField, TextField } from '../../ui/field.tsx'
import { ErrorNotice, Notice } from '../../ui/notice.tsx'
import { Loading } from '../../ui/page-states.tsx'
import { SettingField } from '../setting-field.tsx'
import { OwnData } from './own-data.tsx'
import { Sessions } from './sessions.tsx'

/** Deactivates the user's own account after a confirmation. */
function Deactivation(): ReactNode {
  const { realm_name: organization } = useOrganization('realm_name')
  const [isAsking, ask] = useState(false)
  return (
    <SettingsEnd
      id="deactivate"
      title={t('Deactivate account')}
      about={t(
        'You’ll be logged out of {organization} everywhere. Only an administrator can reactivate your account.',
        {
          organization,
        },
      )}
    >
      <Button onPress={() => ask(true)}>{t('Deactivate account…')}</Button>
      {isAsking && <DeactivationDialog onClose={() => ask(false)} />}
    </SettingsEnd>
  )
}

function DeactivationDialog({ onClose }: { onClose: () => void }): ReactNode {
  const { user_id } = useOrganization('user_id')
  const [isErasureRequested, requestErasure] = useState(false)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      removePersonalDataAfter(
        user_id,
        async () => void (await call('DELETE /users/me', { request_erasure: isErasureRequested })),
      ),
    onSuccess: () => location.assign('/login/'),
  })
  return (
    <Dialog title={t('Deactivate your account?')} role="alertdialog" isOpen onClose={onClose}>
      <div className="dialog-body">
        {error !== null && <ErrorNotice title={t('Couldn’t deactivate your account')} error={toAppError(error)} />}
        <ul>
          <li>{t('You can’t log in anymore, and programs that use your API keys stop working.')}</li>
          <li>{t('Your bots are deactivated, and invitations that you sent are revoked.')}</li>
          <li>{t('Your messages and files stay.')}</li>
        </ul>
        <CheckboxField isSelected={isErasureRequested} onChange={requestErasure}>
          {t('Ask the owners to erase my data')}
        </CheckboxField>
      </div>
      <DialogActions>
        <Button onPress={onClose}>{t('Cancel')}</Button>
        <Button kind="danger" isPending={isPending} onPress={() => mutate()}>
          {t('Deactivate account')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** The user's email address, which they can change if the organization allows it. */
function Email(): ReactNode {
  const {
    is_admin,
    realm_email_changes_disabled,
    delivery_email: current,
  } = useOrganization('is_admin', 'realm_email_changes_disabled', 'delivery_email')
  if (!realm_email_changes_disabled || is_admin) return <EmailChange current={current} />
  return (
    <section className={css.settingsGroup} aria-label={t('Email address')} data-setting="email">
      <EmailHead current={current} />
      <p className="soft small">{t('Only administrators can change email addresses.')}</p>
    </section>
  )
}

const EmailHead = ({ current }: { current: string }) => (
  <>
    <h2>{t('Email address')}</h2>
    <p>{current === '' ? t('You have no email address yet.') : current}</p>
  </>
)

/** The email address, which changes after the user has opened a link sent to the new one. */
function EmailChange({ current }: { current: string }): ReactNode {
  const [given, setGiven] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const currentPassword = useCurrentPassword()
  const { mutate, isPending, isSuccess, variables, reset } = useMutation({
    mutationFn: (email: string) => {
      const { password } = currentPassword
      return call('PATCH /settings', { email, ...(password !== undefined && { old_password: password }) })
    },
    onSuccess: () => setGiven(''),
    onError(error) {
      currentPassword.onError(error)
      if (!isPasswordRefusal(error)) setProblem(toAppError(error).message)
    },
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    const email = given.trim()
    const isAddress = /^\S+@\S+$/.test(email)
    setProblem(isAddress ? null : t('Enter an email address, such as you@example.com.'))
    if (isAddress && !isPending) mutate(email)
  }

  return (
    <form
      className={`${css.settingsGroup} ${css.settingsForm}`}
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
        value={given}
        error={problem}
        description={
          current === ''
            ? t('We’ll send a confirmation link to the address, and then a link with which you choose a password.')
            : t(
                'We’ll send a confirmation link to the new address and a notice to the old one. Your address changes when you open the link.',
              )
        }
        onChange={(email) => {
          setGiven(email)
          setProblem(null)
          reset()
        }}
        after={
          <Button type="submit" isPending={isPending}>
            {t('Send confirmation link')}
          </Button>
        }
      />
      {!isSuccess && currentPassword.field}
      {isSuccess && (
        <div role="status">
          <Notice kind="good">{t('We sent a link to {email}.', { email: variables })}</Notice>
        </div>
      )}
    </form>
  )
}

type Errors = { old?: string; new?: string }

/** The form for a new password, or how to get one where the user has none. */
function Password(): ReactNode {
  const { realm_authentication_methods: methods, delivery_email: email } = useOrganization(
    'realm_authentication_methods',
    'delivery_email',
  )
  const isEnabled = (name: string) => typeof methods[name] === 'object' && methods[name].enabled
  const usesPasswords = isEnabled('Email')
  const { data, error, refetch } = useQuery({ ...secondFactorsQuery, enabled: usesPasswords })
  if (data?.has_password === true && usesPasswords) return <PasswordForm />
  return (
    <section className={css.settingsGroup} aria-labelledby="password-title" data-setting="password">
      <h2 id="password-title">{t('Password')}</h2>
      {!usesPasswords ? (
        <p className="soft small">{t('Accounts of your organization have no passwords of their own.')}</p>
      ) : error !== null ? (
        <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading label={t('Loading account settings')} />
      ) : (
        <>
          <p className="soft small">{t('Your account has no password of its own.')}</p>
          {/* People of a directory have its password. */}
          {!isEnabled('LDAP') && (
            <div>
              <a className="button" href={`/accounts/password/reset/?email=${encodeURIComponent(email)}`}>
                {t('Set a password…')}
              </a>
            </div>
          )}
        </>
      )}
    </section>
  )
}

/** Changes the password. This ends the sessions on other devices. */
function PasswordForm(): ReactNode {
  const { delivery_email } = useOrganization('delivery_email')
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
      className={`${css.settingsGroup} ${css.settingsForm}`}
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

/** The user's email address, privacy, password and sessions, and the deactivation of the account. */
export function Account(): ReactNode {
  return (
    <>
      <Email />
      <SettingsGroup title={t('Privacy')}>
        <SettingField name="email_address_visibility" />
        <SettingField name="allow_private_data_export" />
      </SettingsGroup>
      <Password />
      <Sessions />
      <OwnData />
      <Deactivation />
    </>
  )
}
