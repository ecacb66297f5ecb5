import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { t } from '../../text/t.ts'
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
    <div className="stack">
      <section className="card settings-card" aria-label={t('Joining')}>
        <SavedCheck
          name="invite_required"
          hint={t('If off, anyone with an allowed email address can create an account from the login page.')}
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
        <p>
          <Link to="/invitations">{t('Invitations')}</Link> ·{' '}
          <Link to="/organization/$section" params={{ section: 'permissions' }}>
            {t('Permissions')}
          </Link>
        </p>
      </section>
      <Domains />
      <section className="card settings-card" aria-label={t('Accounts')}>
        <SavedCheck name="require_unique_names" hint={t('Existing accounts keep their names.')}>
          {t('Require unique names')}
        </SavedCheck>
        <SavedCheck name="name_changes_disabled">{t('Only administrators can change names')}</SavedCheck>
        <SavedCheck name="email_changes_disabled">{t('Only administrators can change email addresses')}</SavedCheck>
        <SavedCheck name="avatar_changes_disabled">{t('Only administrators can change profile pictures')}</SavedCheck>
      </section>
      <section className="card settings-card" aria-label={t('Guests')}>
        <SavedCheck name="enable_guest_user_indicator">{t('Mark guests next to their names')}</SavedCheck>
        <SavedCheck name="enable_guest_user_dm_warning">
          {t('Warn before someone sends a direct message to a guest')}
        </SavedCheck>
      </section>
    </div>
  )
}
