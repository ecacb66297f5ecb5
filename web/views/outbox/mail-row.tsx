import type { ReactNode } from 'react'
import { Button } from 'react-aria-components/Button'
import { rich } from '../../text/rich.ts'
import { t } from '../../text/t.ts'
import { Time } from '../../ui/time/time.tsx'
import { DeliveryBadge } from './delivery-badge.tsx'
import { type Mail, templateName } from './mails.ts'

/** A row of the outbox. The whole row is a button. */
export function MailRow({ mail, onOpen }: { mail: Mail; onOpen: () => void }): ReactNode {
  const { recipient, letter, state, queued_at, next_attempt_at, attempts } = mail
  return (
    <li>
      <Button className="mail-row" onPress={onOpen}>
        <span className="mail-row-text">
          <b>{recipient ?? t('Hidden address')}</b>
          <span className="soft small">{templateName(letter)}</span>
        </span>
        <span className="mail-row-state">
          <DeliveryBadge state={state} />
          <span className="soft small">
            {next_attempt_at !== null && attempts > 0 ? (
              rich('next attempt {time}', { time: <Time at={next_attempt_at} as="relative" /> })
            ) : next_attempt_at !== null ? (
              rich('due {time}', { time: <Time at={next_attempt_at} as="relative" /> })
            ) : (
              <Time at={queued_at} as="ago" />
            )}
          </span>
        </span>
      </Button>
    </li>
  )
}
