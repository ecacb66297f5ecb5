import CircleCheck from 'lucide-react/icons/circle-check'
import CircleX from 'lucide-react/icons/circle-x'
import Clock from 'lucide-react/icons/clock'
import { type ReactNode, useEffect, useRef } from 'react'
import type { ApiError } from '../../api/api-error.ts'
import { toAppError } from '../../store/app-error.ts'
import { useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { DialogActions } from '../../ui/dialog/dialog.tsx'
import { ErrorNotice } from '../../ui/feedback/error-notice.tsx'
import { Badge } from '../../ui/text/badge.tsx'
import { CopySentLink } from './copy-sent-link.tsx'
import { MailsSent } from './mails-sent.tsx'

/** The result for an address. `not sent` means that the address was valid, but others were not. */
export type SendResult = { email: string; outcome: 'invited' | 'refused' | 'not sent'; reason: string }

type Refused = [email: string, reason: string, isDeactivated: boolean]

/** Returns the result for each address, after a success or INVITATION_FAILED. */
export function readResults(emails: readonly string[], failure: ApiError | null): SendResult[] {
  const refused = new Map(
    ((failure?.extras['errors'] ?? []) as Refused[]).map(([email, reason]) => [email.toLowerCase(), reason]),
  )
  const areOthersSent = failure === null || failure.extras['sent_invitations'] === true
  return emails.map((email) => {
    const reason = refused.get(email.toLowerCase())
    if (reason !== undefined) return { email, outcome: 'refused', reason }
    return { email, outcome: areOthersSent ? 'invited' : 'not sent', reason: '' }
  })
}

/**
 * The maximum number of results with a button to copy each link. For longer lists, users find the links in the outbox.
 */
const MAX_WITH_LINKS = 50

export function Results(props: {
  results: readonly SendResult[]
  failure: unknown
  onMore: (remaining: readonly string[]) => void
  onClose: () => void
}): ReactNode {
  const { results, failure, onMore, onClose } = props
  const { is_admin } = useOrganization()
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => title.current?.focus(), [])
  const invited = results.filter(({ outcome }) => outcome === 'invited').map(({ email }) => email)
  const remaining = results.filter(({ outcome }) => outcome === 'not sent').map(({ email }) => email)
  return (
    <>
      <div className="dialog-body">
        <h3 ref={title} tabIndex={-1}>
          {invited.length === 0
            ? t('Couldn’t send the invitations')
            : invited.length === results.length
              ? t('{count, plural, one {# person} other {# people}} invited', { count: invited.length })
              : t('{count} of {total} invited', { count: invited.length, total: results.length })}
        </h3>
        {failure !== null && (
          <ErrorNotice kind={invited.length === 0 ? 'danger' : 'warn'} error={toAppError(failure)} />
        )}
        {invited.length > 0 && (
          <MailsSent
            emails={invited}
            isAfterError={failure !== null}
            hasLinks={is_admin && results.length <= MAX_WITH_LINKS}
          />
        )}
        <ul className="results" aria-label={t('Results by address')}>
          {results.map((result) => (
            <ResultRow key={result.email} result={result} hasLink={is_admin && results.length <= MAX_WITH_LINKS} />
          ))}
        </ul>
      </div>
      <DialogActions>
        <Button onPress={() => onMore(remaining)}>
          {remaining.length > 0 ? t('Continue with the rest') : t('Invite more')}
        </Button>
        <Button kind="primary" onPress={onClose}>
          {t('Done')}
        </Button>
      </DialogActions>
    </>
  )
}

function ResultRow(props: { result: SendResult; hasLink: boolean }): ReactNode {
  const {
    result: { email, outcome, reason },
    hasLink,
  } = props
  return (
    <li className="result">
      <span>{email}</span>
      {outcome === 'invited' && (
        <Badge kind="good" icon={<CircleCheck className="icon" aria-hidden="true" />}>
          {t('Invited')}
        </Badge>
      )}
      {outcome === 'invited' && hasLink && <CopySentLink email={email} />}
      {outcome === 'refused' && (
        <Badge kind="danger" icon={<CircleX className="icon" aria-hidden="true" />}>
          {t('Not invited')}
        </Badge>
      )}
      {outcome === 'not sent' && (
        <Badge kind="warn" icon={<Clock className="icon" aria-hidden="true" />}>
          {t('Not sent yet')}
        </Badge>
      )}
      {reason !== '' && <span className="result-reason">{reason}</span>}
    </li>
  )
}
