import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { call } from '../../api/call.ts'
import { useOrganization } from '../../store/organization.ts'
import { rich } from '../../text/rich.ts'
import { t } from '../../text/t.ts'
import { Notice } from '../../ui/feedback/notice.tsx'

/** The interval for checking if the emails were sent, in milliseconds. */
const PERIOD = 2000

/**
 * Shows that the invitation emails are on their way. With `isAfterError`, it does not show this, because an error is
 * shown. If the server can't send email, it shows that the emails stay in the outbox.
 */
export function MailsSent(props: { emails: readonly string[]; isAfterError: boolean }): ReactNode {
  const { emails, isAfterError } = props
  const { is_admin } = useOrganization()
  const { data: states } = useQuery({
    queryKey: ['invitations', 'sent', emails],
    queryFn: ({ signal }) => statesOf(emails, signal),
    refetchInterval: ({ state: { data } }) =>
      data?.length && data.every((state) => state === 'queued') ? PERIOD : false,
    staleTime: 0,
  })
  if (!states?.includes('kept'))
    return isAfterError ? null : (
      <Notice kind="good">
        <p>{t('The emails are on their way. See Invitations for their status.')}</p>
      </Notice>
    )
  return (
    <Notice kind="warn" title={t('No email was sent')}>
      <p>
        {is_admin
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

async function statesOf(emails: readonly string[], signal: AbortSignal) {
  const [{ invites }, { deliveries }] = await Promise.all([
    call('GET /invites', {}, { signal }),
    call('GET /invites/deliveries', {}, { signal }),
  ])
  const sent = new Set(emails.map((email) => email.toLowerCase()))
  const ids = new Set(invites.filter(({ email }) => email && sent.has(email.toLowerCase())).map(({ id }) => id))
  return deliveries.filter(({ invite_id }) => ids.has(invite_id)).map(({ state }) => state)
}
