import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/call.ts'
import { toAppError } from '../../store/app-error.ts'
import { t } from '../../text/t.ts'
import { ErrorNotice } from '../../ui/feedback/error-notice.tsx'
import { type InvitationDraft, lifetimeMinutes } from './invitation-draft.ts'

/** A preview of the email, without its link. */
export function MailPreview({ offer }: { offer: InvitationDraft }): ReactNode {
  const [isOpen, setOpen] = useState(false)
  const minutes = lifetimeMinutes(offer)
  return (
    <details className="preview" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t('Preview email')}</summary>
      {isOpen && minutes !== undefined && <Preview role={offer.role} minutes={minutes} />}
    </details>
  )
}

function Preview({ role, minutes }: { role: number; minutes: number | null }): ReactNode {
  const { data, error } = useQuery({
    queryKey: ['invitation-preview', role, minutes],
    queryFn: ({ signal }) =>
      call('GET /invites/preview', { invite_as: role, invite_expires_in_minutes: minutes }, { signal }),
  })
  if (error !== null) return <ErrorNotice error={toAppError(error)} />
  const query = new URLSearchParams({ invite_as: String(role), ...(minutes !== null && { minutes: String(minutes) }) })
  return (
    <div className="stack">
      <p>
        <span className="soft">{t('Subject:')}</span> <b>{data?.subject ?? '…'}</b>
      </p>
      <iframe className="preview-frame" title={t('Email preview')} sandbox="" src={`/invites/preview/html?${query}`} />
    </div>
  )
}
