import type { ReactNode } from 'react'
import { Time } from '../../ui/text/time.tsx'
import './attempts.css'
import type { Attempt } from './mails.ts'

const OUTCOMES: Readonly<Record<NonNullable<Attempt['outcome']>, string>> = {
  sent: 'The relay took it',
  deferred: 'Put off',
  refused: 'Refused for good',
  kept: 'Kept: there is no relay',
  cancelled: 'No longer to be sent',
}

/** Every attempt to send a mail, with what server and relay said to each other. */
export function Attempts({ attempts }: { attempts: readonly Attempt[] }): ReactNode {
  if (attempts.length === 0) return <p className="soft">Nobody has tried to send it yet.</p>
  return (
    <ol className="attempts" aria-label="Attempts">
      {attempts.map(({ started_at, outcome, reply, dialogue }, at) => (
        <li key={at}>
          <p>
            <b>{outcome === null ? 'Under way, or broken off' : OUTCOMES[outcome]}</b>{' '}
            <span className="soft small">
              <Time at={started_at} as="absolute" />
            </span>
          </p>
          {reply !== null && <p className="soft small attempt-reply">{reply}</p>}
          {dialogue !== null && dialogue !== '' && (
            <details>
              <summary>What was said</summary>
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
