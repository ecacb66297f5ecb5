import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { call } from '../../api/call.ts'
import { toAppError } from '../../store/app-error.ts'
import { findOwnAccount, useOrganization } from '../../store/organization.ts'
import { roleName } from '../../store/people/role.ts'
import { t } from '../../text/t.ts'
import { showToast } from '../../ui/feedback/toasts.ts'
import { ComboField } from '../../ui/fields/combo-field.tsx'
import { Badge } from '../../ui/text/badge.tsx'
import { AutosaveField } from './autosave-field.tsx'
import { OwnPicture } from './own-picture.tsx'
import { OwnProfileFields } from './own-profile-fields.tsx'

const ZONES = Intl.supportedValuesOf('timeZone').map((id) => ({ id, label: id.replaceAll('_', ' ') }))

/** The user's picture, name and time zone. */
export function Profile(): ReactNode {
  const organization = useOrganization()
  const account = findOwnAccount(organization)
  const name = account?.full_name ?? organization.full_name
  const { is_admin, realm_name_changes_disabled } = organization
  const isNameFixed = realm_name_changes_disabled && !is_admin
  const { mutate: saveZone } = useMutation({
    mutationFn: (timezone: string) => call('PATCH /settings', { timezone }),
    onSuccess: () => showToast(t('Time zone saved')),
    onError: (error) => showToast(toAppError(error).message, { kind: 'error' }),
  })
  return (
    <>
      <section className="settings-group settings-form" aria-label={t('Profile')}>
        <OwnPicture name={name}>
          <b>{name}</b>
          <Badge kind="accent">{roleName(account?.role ?? 400)}</Badge>
        </OwnPicture>
        <AutosaveField
          id="full_name"
          label={t('Name')}
          value={name}
          autoComplete="name"
          description={
            isNameFixed ? t('Only administrators can change names.') : t('Your name appears next to your messages.')
          }
          isReadOnly={isNameFixed}
          check={(value) => (value.trim() === '' ? t('Enter a name.') : null)}
          save={(full_name) => call('PATCH /settings', { full_name: full_name.trim() })}
        />
        <div data-setting="timezone">
          <ComboField
            label={t('Time zone')}
            value={account?.timezone || null}
            onChoose={saveZone}
            options={ZONES}
            placeholder={t('Find a city')}
            description={t('Lets others see your local time.')}
          />
        </div>
      </section>
      <OwnProfileFields />
    </>
  )
}
