import { useMutation } from '@tanstack/react-query'
import Ban from 'lucide-react/icons/ban'
import CircleCheck from 'lucide-react/icons/circle-check'
import CircleX from 'lucide-react/icons/circle-x'
import Clock from 'lucide-react/icons/clock'
import Hourglass from 'lucide-react/icons/hourglass'
import Inbox from 'lucide-react/icons/inbox'
import RotateCw from 'lucide-react/icons/rotate-cw'
import type { ComponentType, ReactNode, SVGProps } from 'react'
import { call } from '../api/call.ts'
import { toAppError } from '../store/app-error.ts'
import { t } from '../text/t.ts'
import { Badge, type BadgeKind } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { ErrorNotice } from '../ui/notice.tsx'
import { Time } from '../ui/time.tsx'
import { showToast } from '../ui/toasts.ts'
import * as css from './attempts.module.css'
import { type Attempt, type Mail, type MailState, refreshMails } from './mails.ts'

type Look = { label: string; kind: BadgeKind; icon: ComponentType<SVGProps<SVGSVGElement>> }

/** The label and icon of each delivery status. */
export const DELIVERY_LOOKS: Readonly<Record<MailState, Look>> = {
  queued: { label: t('Queued'), kind: 'plain', icon: Clock },
  deferred: { label: t('Deferred'), kind: 'warn', icon: Hourglass },
  sent: { label: t('Sent'), kind: 'good', icon: CircleCheck },
  failed: { label: t('Email failed'), kind: 'danger', icon: CircleX },
  kept: { label: t('In outbox'), kind: 'warn', icon: Inbox },
  cancelled: { label: t('Canceled'), kind: 'plain', icon: Ban },
}

export function DeliveryBadge({ state }: { state: MailState }): ReactNode {
  const { label, kind, icon: Icon } = DELIVERY_LOOKS[state]
  return (
    <Badge kind={kind} icon={<Icon className="icon" aria-hidden="true" />}>
      {label}
    </Badge>
  )
}

const OUTCOMES: Readonly<Record<NonNullable<Attempt['outcome']>, string>> = {
  sent: t('Accepted by relay'),
  deferred: t('Deferred'),
  refused: t('Rejected'),
  kept: t('Not sent: no relay'),
  cancelled: t('Canceled'),
}

/** All delivery attempts of an email, with the SMTP exchange of each. */
export function Attempts({ attempts }: { attempts: readonly Attempt[] }): ReactNode {
  if (attempts.length === 0) return <p className="soft">{t('Not tried yet.')}</p>
  return (
    <ol className={css.attempts} aria-label={t('Attempts')}>
      {attempts.map(({ started_at, outcome, reply, dialogue }, at) => (
        <li key={at}>
          <p>
            <b>{outcome === null ? t('In progress or interrupted') : OUTCOMES[outcome]}</b>{' '}
            <span className="soft small">
              <Time at={started_at} as="absolute" />
            </span>
          </p>
          {reply !== null && <p className={`soft small ${css.attemptReply}`}>{reply}</p>}
          {dialogue !== null && dialogue !== '' && (
            <details>
              <summary>{t('Response')}</summary>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reached by keyboard */}
              <pre className={css.attemptDialogue} tabIndex={0}>
                {dialogue}
              </pre>
            </details>
          )}
        </li>
      ))}
    </ol>
  )
}

const RETRIED: ReadonlySet<Mail['state']> = new Set(['failed', 'deferred', 'kept'])

/** The button that retries an email, if a retry is possible. Without a relay, kept emails would only be kept again. */
export function RetryButton({ mail, hasRelay }: { mail: Mail; hasRelay: boolean }): ReactNode {
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('POST /mails/{mail_id}/retry', { mail_id: mail.id }),
    onSuccess() {
      showToast(t('Retrying email'))
      void refreshMails()
    },
  })
  if (!RETRIED.has(mail.state) || (mail.state === 'kept' && !hasRelay)) return null
  return (
    <div className="stack">
      {error !== null && <ErrorNotice title={t('Couldn’t retry the email')} error={toAppError(error)} />}
      <div>
        <Button isPending={isPending} icon={<RotateCw className="icon" aria-hidden="true" />} onPress={() => mutate()}>
          {t('Retry now')}
        </Button>
      </div>
    </div>
  )
}
