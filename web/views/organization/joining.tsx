import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { rich } from '../../text/rich.ts'
import { t } from '../../text/t.ts'
import { SettingsGroup } from '../settings/rows/settings-group.tsx'
import { Domains } from './domains.tsx'
import { SavedCheck, SavedNumber } from './saved-fields.tsx'

const WAITING = [
  { value: 0, label: t('Immediately') },
  { value: 3, label: t('After 3 days') },
  { value: 7, label: t('After a week') },
  { value: 30, label: t('After 30 days') },
]

/** Settings about joining, and about what people can change in their profiles. */
export function Joining(): ReactNode {
  return (
    <>
      <SettingsGroup title={t('How people join')}>
        <p className="soft">
          {rich(
            '<invitations>Invitations</invitations> are sent by email or shared as links. <permissions>Permissions</permissions> control who can invite people.',
            {
              invitations: (children) => <Link to="/invitations">{children}</Link>,
              permissions: (children) => (
                <Link to="/organization/$section" params={{ section: 'permissions' }}>
                  {children}
                </Link>
              ),
            },
          )}
        </p>
        <SavedCheck
          name="invite_required"
          hint={t(
            'If off, anyone with an allowed email address can create an account from the login page. New accounts can invite others after three days.',
          )}
        >
          {t('Require an invitation to join')}
        </SavedCheck>
        <SavedCheck name="disallow_disposable_email_addresses">
          {t('Don’t allow disposable email addresses')}
        </SavedCheck>
        <SavedNumber
          name="waiting_period_threshold"
          label={t('New users become full members')}
          options={WAITING}
          describe={(value) => t('{value, plural, one {After # day} other {After # days}}', { value })}
        />
      </SettingsGroup>
      <Domains />
      <SettingsGroup title={t('Accounts')}>
        <SavedCheck name="require_unique_names" hint={t('Existing accounts keep their names.')}>
          {t('Require unique names')}
        </SavedCheck>
        <SavedCheck name="name_changes_disabled">{t('Only administrators can change names')}</SavedCheck>
        <SavedCheck name="email_changes_disabled">{t('Only administrators can change email addresses')}</SavedCheck>
        <SavedCheck name="avatar_changes_disabled">{t('Only administrators can change profile pictures')}</SavedCheck>
      </SettingsGroup>
      <SettingsGroup title={t('Guests')}>
        <SavedCheck name="enable_guest_user_indicator">{t('Show a badge next to guests’ names')}</SavedCheck>
        <SavedCheck name="enable_guest_user_dm_warning">
          {t('Warn before someone sends a direct message to a guest')}
        </SavedCheck>
      </SettingsGroup>
    </>
  )
}
