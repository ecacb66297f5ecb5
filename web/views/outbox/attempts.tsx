import type { ReactNode } from 'react'
import { Time } from '../../ui/time/time.tsx'
import './attempts.css'
import { t } from '../../text/t.ts'
import type { Attempt } from './mails.ts'

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
    <ol className="attempts" aria-label={t('Attempts')}>
      {attempts.map(({ started_at, outcome, reply, dialogue }, at) => (
        <li key={at}>
          <p>
            <b>{outcome === null ? t('In progress or interrupted') : OUTCOMES[outcome]}</b>{' '}
            <span className="soft small">
              <Time at={started_at} as="absolute" />
            </span>
          </p>
          {reply !== null && <p className="soft small attempt-reply">{reply}</p>}
          {dialogue !== null && dialogue !== '' && (
            <details>
              <summary>{t('Response')}</summary>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reached by keyboard */}
              <pre className="attempt-dialogue" tabIndex={0}>
                {dialogue}
              </pre>
            </details>
          )}
        </li>
      ))}
    </ol>
  )
}
