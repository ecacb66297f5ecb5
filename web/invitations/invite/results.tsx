import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import CircleCheck from 'lucide-react/icons/circle-check'
import CircleX from 'lucide-react/icons/circle-x'
import Clock from 'lucide-react/icons/clock'
import Copy from 'lucide-react/icons/copy'
import { type ReactNode, useEffect, useRef } from 'react'
import type { ApiError } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { toAppError } from '../../store/app-error.ts'
import { useOrganization } from '../../store/organization.ts'
import { rich } from '../../text/rich.ts'
import { t } from '../../text/t.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { DialogActions } from '../../ui/dialog.tsx'
import { ErrorNotice, Notice } from '../../ui/notice.tsx'
import { showToast } from '../../ui/toasts.ts'
import * as css from '../invite-dialog.module.css'
import { invitationLinkIn, type MailState } from '../mails.ts'

/** Copies the link of the invitation that was just sent to an address. Administrators may read such links. */
function CopySentLink({ email }: { email: string }): ReactNode {
  const { mutate, isPending } = useMutation({
    mutationFn: async () => navigator.clipboard.writeText(await findLink(email)),
    onSuccess: () => showToast(t('Link for {email} copied', { email })),
    onError: (error) =>
      showToast(t('Couldn’t copy the link. {message}', { message: toAppError(error).message }), { kind: 'error' }),
  })
  return (
    <Button
      kind="quiet"
      icon={<Copy className="icon" aria-hidden="true" />}
      aria-label={t('Copy link for {email}', { email })}
      isPending={isPending}
      onPress={() => mutate()}
    >
      {t('Copy link')}
    </Button>
  )
}

async function findLink(email: string): Promise<string> {
  const { mails } = await call('GET /mails', { recipient: email, limit: 1 })
  const [mail] = mails
  const { message } = mail === undefined ? { message: null } : await call('GET /mails/{mail_id}', { mail_id: mail.id })
  const link = message === null ? undefined : invitationLinkIn(message.text)
  if (link === undefined) throw new Error(t('The email no longer contains the link.'))
  return link
}

/** The interval for checking if the emails were sent, in milliseconds. */
const PERIOD = 2000

/**
 * Shows that the invitation emails are on their way or, if the server can't send email, that they stay in the outbox.
 * Shows nothing until the server has tried to send one. With `isAfterError`, it only shows the latter, because an error
 * is shown.
 */
function MailsSent(props: {
  emails: readonly string[]
  isAfterError: boolean
  /** True if each address below has a button that copies its link. */
  hasLinks: boolean
}): ReactNode {
  const { emails, isAfterError, hasLinks } = props
  const { is_admin } = useOrganization('is_admin')
  const { data: states, isPending } = useQuery({
    queryKey: ['invitations', 'sent', emails],
    queryFn: ({ signal }) => statesOf(emails, signal),
    refetchInterval: ({ state: { data } }) => (data !== undefined && areUntried(data) ? PERIOD : false),
    staleTime: 0,
  })
  if (isPending || (states !== undefined && areUntried(states))) return null
  if (!states?.includes('kept'))
    return isAfterError ? null : (
      <Notice kind="good">
        <p>{t('The emails are on their way. See Invitations for their status.')}</p>
      </Notice>
    )
  return (
    <Notice kind="warn" title={t('No email was sent')}>
      <p>
        {hasLinks
          ? t('This server can’t send email yet. Copy the links below, and share them yourself.')
          : is_admin
            ? rich(
                'This server can’t send email yet, so emails stay in its outbox. Copy the links from the <link>outbox</link> and share them yourself.',
                { link: (children) => <Link to="/outbox">{children}</Link> },
              )
            : t(
                'This server can’t send email yet, so emails stay in its outbox. Ask an administrator to share the links.',
              )}
      </p>
    </Notice>
  )
}

const areUntried = (states: readonly MailState[]) => states.length > 0 && states.every((state) => state === 'queued')

async function statesOf(emails: readonly string[], signal: AbortSignal) {
  const [{ invites }, { deliveries }] = await Promise.all([
    call('GET /invites', {}, { signal }),
    call('GET /invites/deliveries', {}, { signal }),
  ])
  const sent = new Set(emails.map((email) => email.toLowerCase()))
  const ids = new Set(invites.filter(({ email }) => email && sent.has(email.toLowerCase())).map(({ id }) => id))
  return deliveries.filter(({ invite_id }) => ids.has(invite_id)).map(({ state }) => state)
}

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
  const { is_admin } = useOrganization('is_admin')
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
        <ul className={css.results} aria-label={t('Results by address')}>
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
    <li className={css.result}>
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
      {reason !== '' && <span className={css.resultReason}>{reason}</span>}
    </li>
  )
}
