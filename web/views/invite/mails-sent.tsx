import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { call } from '../../api/call.ts'
import { useOrganization } from '../../store/organization.ts'
import { rich } from '../../text/rich.ts'
import { t } from '../../text/t.ts'
import { Notice } from '../../ui/feedback/notice.tsx'
import type { MailState } from '../outbox/mails.ts'

/** The interval for checking if the emails were sent, in milliseconds. */
const PERIOD = 2000

/**
 * Shows that the invitation emails are on their way or, if the server can't send email, that they stay in the outbox.
 * Shows nothing until the server has tried to send one. With `isAfterError`, it only shows the latter, because an error
 * is shown.
 */
export function MailsSent(props: {
  emails: readonly string[]
  isAfterError: boolean
  /** True if each address below has a button that copies its link. */
  hasLinks: boolean
}): ReactNode {
  const { emails, isAfterError, hasLinks } = props
  const { is_admin } = useOrganization()
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
