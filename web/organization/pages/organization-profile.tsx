import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { isOwner } from '#rules/role.ts'
import { MAX_LENGTH } from '#rules/shared-limits.ts'
import { call } from '../../api/call.ts'
import { removePersonalDataAfter } from '../../browser/personal-data.ts'
import { AutosaveField } from '../../forms/autosave-field.tsx'
import { isPasswordRefusal, useCurrentPassword } from '../../forms/current-password.tsx'
import { SettingRow, SettingsEnd } from '../../forms/setting-row.tsx'
import * as css from '../../forms/settings.module.css'
import { ORGANIZATION_TYPES } from '../../settings/organization-settings.ts'
import { toAppError } from '../../store/app-error.ts'
import { findOwnAccount, useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogForm } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { absoluteTime } from '../../ui/time.tsx'
import { OrganizationPictures } from './pictures.tsx'
import { useRealmSetting } from './saved-fields.tsx'

/**
 * The button that deactivates the organization, for owners only. The user confirms by typing the organization's name.
 */
function DeactivateOrganization(): ReactNode {
  const organization = useOrganization()
  const [isAsking, ask] = useState(false)
  const user = findOwnAccount(organization)
  if (user === undefined || !isOwner(user)) return null
  return (
    <SettingsEnd title={t('Deactivate organization')} about={t('Signs everyone out. Nothing is deleted.')}>
      <Button onPress={() => ask(true)}>{t('Deactivate organization…')}</Button>
      {isAsking && <DeactivateDialog userId={user.user_id} name={organization.realm_name} onClose={() => ask(false)} />}
    </SettingsEnd>
  )
}

function DeactivateDialog(props: { userId: number; name: string; onClose: () => void }): ReactNode {
  const { userId, name, onClose } = props
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const currentPassword = useCurrentPassword()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      removePersonalDataAfter(userId, async () => void (await call('POST /realm/deactivate', currentPassword.params))),
    onSuccess: () => location.assign('/login/'),
    onError: currentPassword.onError,
  })
  return (
    <Dialog title={t('Deactivate {name}?', { name })} role="alertdialog" isOpen onClose={onClose}>
      <DialogForm
        action={t('Deactivate organization')}
        isDanger
        isPending={isPending}
        onCancel={onClose}
        onSubmit={() => {
          if (typed.trim() === name) mutate()
          else setProblem(t('Enter “{name}” to confirm.', { name }))
        }}
      >
        {error !== null && !isPasswordRefusal(error) && (
          <ErrorNotice title={t('Couldn’t deactivate the organization')} error={toAppError(error)} />
        )}
        <ul className={css.accountList}>
          <li>{t('Everyone is signed out at once, in all browsers and apps.')}</li>
          <li>{t('Bots, integrations and incoming email stop working.')}</li>
          <li>
            {t(
              'Emails that wait to be sent are canceled, scheduled messages are held, and invitation links stop working.',
            )}
          </li>
          <li>{t('Accounts, messages, files and settings are kept.')}</li>
          <li>
            {t(
              'All owners get an email with a link that reactivates the organization within 30 days. Later, only the operator of the server can do so.',
            )}
          </li>
        </ul>
        <TextField
          label={t('Organization name')}
          name="name"
          autoComplete="off"
          value={typed}
          error={problem}
          onChange={(value) => {
            setTyped(value)
            setProblem(null)
          }}
        />
        {currentPassword.field}
      </DialogForm>
    </Dialog>
  )
}

/** The button that makes a demo organization permanent, for owners only. */
function KeepDemo(): ReactNode {
  const { demo_organization_scheduled_deletion_date, is_owner, delivery_email } = useOrganization(
    'demo_organization_scheduled_deletion_date',
    'is_owner',
    'delivery_email',
  )
  const [isAsking, ask] = useState(false)
  if (demo_organization_scheduled_deletion_date === undefined || !is_owner) return null
  return (
    <SettingsEnd
      id="keep-demo"
      title={t('Keep this organization')}
      about={t('It is a demo, and is deactivated on {date}.', {
        date: absoluteTime(demo_organization_scheduled_deletion_date),
      })}
    >
      {delivery_email === '' ? (
        <Link to="/settings/$section" params={{ section: 'account' }} className="button">
          {t('Add your email address first')}
        </Link>
      ) : (
        <Button onPress={() => ask(true)}>{t('Make it permanent…')}</Button>
      )}
      {isAsking && <KeepDemoDialog onClose={() => ask(false)} />}
    </SettingsEnd>
  )
}

function KeepDemoDialog({ onClose }: { onClose: () => void }): ReactNode {
  const [subdomain, setSubdomain] = useState('')
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: () => call('PATCH /realm', { string_id: subdomain.trim().toLowerCase() }),
    onSuccess: ({ realm_uri }) => location.assign(`${String(realm_uri)}/login/`),
  })
  return (
    <Dialog title={t('Make the organization permanent?')} isOpen onClose={onClose}>
      <DialogForm action={t('Make it permanent')} isPending={isPending} onCancel={onClose} onSubmit={() => mutate()}>
        <p>
          {t(
            'The organization gets a new address, where everyone signs in again. If you have no password, choose one first, under Settings → Account and privacy. Links to the old address still work.',
          )}
        </p>
        <TextField
          label={t('Start of the address')}
          name="subdomain"
          autoComplete="off"
          autoFocus
          value={subdomain}
          error={error === null ? null : toAppError(error).message}
          description={t('3 to 40 letters from a to z, digits and hyphens.')}
          onChange={(value) => {
            setSubdomain(value)
            reset()
          }}
        />
      </DialogForm>
    </Dialog>
  )
}

/** The type of the organization, saved on change. */
function OrganizationType(): ReactNode {
  const { value, save, error, ...last } = useRealmSetting('org_type')
  const label = t('Type')
  return (
    <SettingRow id="org_type" label={label} {...last}>
      <SelectField
        label={label}
        description={t('People see it when they join, and in their settings under About Parley.')}
        value={value}
        options={ORGANIZATION_TYPES}
        error={error}
        onChange={save}
      />
    </SettingRow>
  )
}

/** The organization's name, type, description and pictures, and its deactivation. */
export function OrganizationProfile(): ReactNode {
  const { realm_name, realm_description, realm_url } = useOrganization('realm_name', 'realm_description', 'realm_url')
  return (
    <>
      <section className={`${css.settingsGroup} ${css.settingsForm}`} aria-label={t('Profile')}>
        <AutosaveField
          id="name"
          label={t('Name')}
          value={realm_name}
          description={t('The name appears on every page and in every email. The URL stays {realmUrl}.', {
            realmUrl: realm_url,
          })}
          check={checkName}
          save={(name) => call('PATCH /realm', { name: name.trim() })}
        />
        <OrganizationType />
        <AutosaveField
          id="description"
          label={t('Description')}
          value={realm_description}
          rows={4}
          check={(value) =>
            [...value].length > MAX_LENGTH.realmDescription
              ? t('Use at most {count, number} characters.', { count: MAX_LENGTH.realmDescription })
              : null
          }
          save={(description) => call('PATCH /realm', { description })}
        />
      </section>
      <OrganizationPictures />
      <KeepDemo />
      <DeactivateOrganization />
    </>
  )
}

function checkName(value: string): string | null {
  const name = value.trim()
  if (name === '') return t('Enter a name.')
  return [...name].length > MAX_LENGTH.realmName
    ? t('Use at most {max} characters.', { max: MAX_LENGTH.realmName })
    : null
}
