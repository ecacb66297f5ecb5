import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { toAppError } from '../../store/app-error.ts'
import { useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import { ErrorNotice } from '../../ui/feedback/error-notice.tsx'
import { Loading } from '../../ui/feedback/loading.tsx'
import { Time } from '../../ui/time/time.tsx'
import { Attempts } from '../outbox/attempts.tsx'
import { DeliveryBadge } from '../outbox/delivery-badge.tsx'
import { mailQuery } from '../outbox/mails.ts'
import { RetryButton } from '../outbox/retry-button.tsx'
import type { InvitationEntry } from './rows.ts'

/** The delivery status of an invitation email; administrators also see the SMTP exchange. */
export function DeliveryDialog({ row, onClose }: { row: InvitationEntry; onClose: () => void }): ReactNode {
  const { is_admin } = useOrganization()
  const { delivery } = row
  if (delivery === null) return null
  return (
    <Dialog title={t('Email to {label}', { label: row.label })} size="side" isOpen onClose={onClose}>
      <div className="dialog-body">
        <dl className="facts">
          <dt>{t('Status')}</dt>
          <dd>
            <DeliveryBadge state={delivery.state} />
          </dd>
          <dt>{t('Queued')}</dt>
          <dd>
            <Time at={delivery.queued_at} as="absolute" />
          </dd>
          {delivery.next_attempt_at !== null && (
            <>
              <dt>{t('Next attempt')}</dt>
              <dd>
                <Time at={delivery.next_attempt_at} as="relative" />
              </dd>
            </>
          )}
          {delivery.reply !== null && (
            <>
              <dt>{t('Relay response')}</dt>
              <dd>{delivery.reply}</dd>
            </>
          )}
        </dl>
        {is_admin && <Dialogue mailId={delivery.mail_id} />}
      </div>
    </Dialog>
  )
}

function Dialogue({ mailId }: { mailId: number }): ReactNode {
  const { data, error, refetch } = useQuery(mailQuery(mailId))
  if (error !== null) return <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading label={t('Loading attempts')} />
  return (
    <>
      <RetryButton mail={data.mail} hasRelay={data.has_relay} />
      <Attempts attempts={data.attempts} />
    </>
  )
}
