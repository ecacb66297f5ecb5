import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import EyeOff from 'lucide-react/icons/eye-off'
import MailOpen from 'lucide-react/icons/mail-open'
import { type ReactNode, useState } from 'react'
import { toAppError } from '../../store/app-error.ts'
import { useOrganization } from '../../store/organization.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { Empty } from '../../ui/feedback/empty.tsx'
import { ErrorNotice } from '../../ui/feedback/error-notice.tsx'
import { Loading } from '../../ui/feedback/loading.tsx'
import { SelectField } from '../../ui/fields/select-field.tsx'
import { PageHead } from '../../ui/layout/page.tsx'
import { DELIVERY_LOOKS } from './delivery-badge.tsx'
import { MailDialog } from './mail-dialog.tsx'
import { MailRow } from './mail-row.tsx'
import { type MailState, mailList } from './mails.ts'
import './outbox.css'
import { t } from '../../text/t.ts'

/** Every mail of the organization, as it was sent, and how far it came. */
export function Outbox(): ReactNode {
  const { realm_name, is_admin } = useOrganization()
  return (
    <>
      <PageHead title={t('Outbox')} within={realm_name}>
        <p>
          {t(
            'Every mail that this organization sent, how far it came, and what it said. Without a mail relay, mails wait here to be read.',
          )}
        </p>
      </PageHead>
      {is_admin ? (
        <Mails />
      ) : (
        <Empty icon={<EyeOff />} title={t('The outbox is for administrators')}>
          <p>{t('It holds the links of invitations. Ask an administrator if a mail did not arrive.')}</p>
        </Empty>
      )}
    </>
  )
}

const STATES = [
  { id: 'any' as const, label: t('Any state') },
  ...(Object.keys(DELIVERY_LOOKS) as MailState[]).map((id) => ({ id, label: DELIVERY_LOOKS[id].label })),
]

function Mails(): ReactNode {
  const { mail: openedId } = useSearch({ from: '/outbox' })
  const navigate = useNavigate({ from: '/outbox' })
  const [state, setState] = useState<MailState | 'any'>('any')
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    mailList(state === 'any' ? {} : { state }),
  )
  const open = (mail: number | undefined) =>
    void navigate({ search: (search) => ({ ...search, mail }), resetScroll: false })
  const mails = data?.pages.flatMap((page) => page.mails)

  return (
    <>
      <div className="outbox-tools">
        <SelectField label={t('State')} value={state} onChange={setState} options={STATES} />
      </div>
      {error !== null && data === undefined ? (
        <ErrorNotice trouble={toAppError(error)} onRetry={() => void refetch()} />
      ) : mails === undefined ? (
        <Loading label={t('Loading the mails')} lines={6} />
      ) : mails.length === 0 ? (
        <Empty icon={<MailOpen />} title={state === 'any' ? t('No mail was sent yet') : t('No mail is in that state')}>
          <p>
            {t('Invite somebody by e-mail: the mail appears here with its link, whether or not a relay is set up.')}
          </p>
        </Empty>
      ) : (
        <ul className="card mail-list" aria-label={t('Mails')}>
          {mails.map((mail) => (
            <MailRow key={mail.id} mail={mail} onOpen={() => open(mail.id)} />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <div className="outbox-more">
          <Button isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
            {t('Show older mails')}
          </Button>
        </div>
      )}
      {openedId !== undefined && <MailDialog mailId={openedId} onClose={() => open(undefined)} />}
    </>
  )
}
