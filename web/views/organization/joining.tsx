import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Domains } from './domains.tsx'
import { SavedCheck, SavedNumber } from './saved-fields.tsx'

const WAITING = [
  { value: 0, label: 'At once' },
  { value: 3, label: 'After 3 days' },
  { value: 7, label: 'After a week' },
  { value: 30, label: 'After 30 days' },
]

/** How people come in, and what they may change of themselves once they are there. */
export function Joining(): ReactNode {
  return (
    <div className="stack">
      <section className="card settings-card" aria-label="Coming in">
        <SavedCheck name="invite_required" hint="Otherwise everybody who knows the address may join.">
          People need an invitation
        </SavedCheck>
        <SavedCheck name="disallow_disposable_email_addresses">Addresses of throw-away services are refused</SavedCheck>
        <SavedNumber
          name="waiting_period_threshold"
          label="When newcomers become full members"
          options={WAITING}
          describe={(value) => `After ${value} days`}
        />
        <p>
          <Link to="/invitations">Who is invited now</Link> ·{' '}
          <Link to="/organization/$section" params={{ section: 'permissions' }}>
            Who can invite
          </Link>
        </p>
      </section>
      <Domains />
      <section className="card settings-card" aria-label="Accounts">
        <SavedCheck name="name_changes_disabled">Only administrators change names</SavedCheck>
        <SavedCheck name="email_changes_disabled">Only administrators change addresses</SavedCheck>
        <SavedCheck name="avatar_changes_disabled">Only administrators change pictures</SavedCheck>
      </section>
    </div>
  )
}
