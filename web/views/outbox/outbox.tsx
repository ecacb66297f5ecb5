import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import EyeOff from 'lucide-react/icons/eye-off'
import MailOpen from 'lucide-react/icons/mail-open'
import Mails from 'lucide-react/icons/mails'
import { type ReactNode, useState } from 'react'
import { toAppError } from '../../store/app-error.ts'
import { useOrganization } from '../../store/organization.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { Empty } from '../../ui/feedback/empty.tsx'
import { ErrorNotice } from '../../ui/feedback/error-notice.tsx'
import { Loading } from '../../ui/feedback/loading.tsx'
import { SelectField } from '../../ui/fields/select-field.tsx'
import { PageFrame, TO_YOU } from '../page-frame.tsx'
import { DELIVERY_LOOKS } from './delivery-badge.tsx'
import { MailDialog } from './mail-dialog.tsx'
import { MailRow } from './mail-row.tsx'
import { failedMails, type Mail, type MailState, mailList } from './mails.ts'
import './outbox.css'
import { t } from '../../text/t.ts'

/** All emails of the organization with their delivery status. */
export function Outbox(): ReactNode {
  const { realm_name, is_admin } = useOrganization()
  return (
    <PageFrame
      title={t('Outbox')}
      within={realm_name}
      icon={<Mails className="icon" aria-hidden="true" />}
      about={t('Every email this organization has sent. Until the server can send email, emails stay here.')}
      back={TO_YOU}
    >
      {is_admin ? (
        <MailLists />
      ) : (
        <Empty icon={<EyeOff />} title={t('Administrators only')}>
          <p>{t('The outbox contains invitation links. Ask an administrator if an email didn’t arrive.')}</p>
        </Empty>
      )}
    </PageFrame>
  )
}

const STATES = [
  { id: 'any' as const, label: t('Any status') },
  ...(Object.keys(DELIVERY_LOOKS) as MailState[]).map((id) => ({ id, label: DELIVERY_LOOKS[id].label })),
]

/** Returns the failed emails, however old they are, and then the others. */
const failuresFirst = (failed: readonly Mail[], all: readonly Mail[]): readonly Mail[] => [
  ...failed,
  ...all.filter(({ id }) => !failed.some((mail) => mail.id === id)),
]

/** Returns true for an email that is due later, such as a reminder. */
const isScheduled = ({ next_attempt_at, attempts }: Mail): boolean =>
  next_attempt_at !== null && attempts === 0 && next_attempt_at > Date.now() / 1000 + 60

function MailLists(): ReactNode {
  const { mail: openedId } = useSearch({ from: '/outbox' })
  const navigate = useNavigate({ from: '/outbox' })
  const [state, setState] = useState<MailState | 'any'>('any')
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    mailList(state === 'any' ? {} : { state }),
  )
  const open = (mail: number | undefined) =>
    void navigate({ search: (search) => ({ ...search, mail }), resetScroll: false })
  const failed = useQuery({ ...failedMails, enabled: state === 'any' }).data?.mails ?? []
  const all = data?.pages.flatMap((page) => page.mails)
  const mails = state === 'any' ? all && failuresFirst(failed, all) : all

  return (
    <>
      <div className="outbox-tools">
        <SelectField label={t('Status')} value={state} onChange={setState} options={STATES} />
      </div>
      {error !== null && data === undefined ? (
        <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
      ) : mails === undefined ? (
        <Loading label={t('Loading emails')} lines={6} />
      ) : mails.length === 0 ? (
        <Empty icon={<MailOpen />} title={state === 'any' ? t('No emails yet') : t('No matching emails')}>
          <p>
            {t(
              'Invite someone by email. The email appears here with its link, even if the server can’t send email yet.',
            )}
          </p>
        </Empty>
      ) : (
        <>
          <MailList label={t('Emails')} mails={mails.filter((mail) => !isScheduled(mail))} onOpen={open} />
          <MailList label={t('Scheduled')} mails={mails.filter(isScheduled)} hasHeading onOpen={open} />
        </>
      )}
      {hasNextPage && (
        <div className="outbox-more">
          <Button isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
            {t('Show older emails')}
          </Button>
        </div>
      )}
      {openedId !== undefined && <MailDialog mailId={openedId} onClose={() => open(undefined)} />}
    </>
  )
}

function MailList(props: {
  label: string
  mails: readonly Mail[]
  hasHeading?: boolean
  onOpen: (id: number) => void
}): ReactNode {
  const { label, mails, hasHeading = false, onOpen } = props
  if (mails.length === 0) return null
  return (
    <>
      {hasHeading && <h2 className="mail-heading">{label}</h2>}
      <ul className="card mail-list" aria-label={label}>
        {mails.map((mail) => (
          <MailRow key={mail.id} mail={mail} onOpen={() => onOpen(mail.id)} />
        ))}
      </ul>
    </>
  )
}
