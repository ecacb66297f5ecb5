import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { t } from '../../text/t.ts'
import { Domains } from './domains.tsx'
import { SavedCheck, SavedNumber } from './saved-fields.tsx'

const WAITING = [
  { value: 0, label: t('At once') },
  { value: 3, label: t('After 3 days') },
  { value: 7, label: t('After a week') },
  { value: 30, label: t('After 30 days') },
]

/** How people come in, and what they may change of themselves once they are there. */
export function Joining(): ReactNode {
  return (
    <div className="stack">
      <section className="card settings-card" aria-label={t('Coming in')}>
        <SavedCheck name="invite_required" hint={t('Otherwise everybody who knows the address may join.')}>
          {t('People need an invitation')}
        </SavedCheck>
        <SavedCheck name="disallow_disposable_email_addresses">
          {t('Addresses of throw-away services are refused')}
        </SavedCheck>
        <SavedNumber
          name="waiting_period_threshold"
          label={t('When newcomers become full members')}
          options={WAITING}
          describe={(value) => t('After {value} days', { value })}
        />
        <p>
          <Link to="/invitations">{t('Who is invited now')}</Link> ·{' '}
          <Link to="/organization/$section" params={{ section: 'permissions' }}>
            {t('Who can invite')}
          </Link>
        </p>
      </section>
      <Domains />
      <section className="card settings-card" aria-label={t('Accounts')}>
        <SavedCheck name="name_changes_disabled">{t('Only administrators change names')}</SavedCheck>
        <SavedCheck name="email_changes_disabled">{t('Only administrators change addresses')}</SavedCheck>
        <SavedCheck name="avatar_changes_disabled">{t('Only administrators change pictures')}</SavedCheck>
      </section>
    </div>
  )
}
