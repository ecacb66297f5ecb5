import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import EyeOff from 'lucide-react/icons/eye-off'
import MailOpen from 'lucide-react/icons/mail-open'
import Mails from 'lucide-react/icons/mails'
import { type ReactNode, useState } from 'react'
import { Button as AriaButton } from 'react-aria-components/Button'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components/Tabs'
import type { AnswerOf } from '../api/call.ts'
import { PageFrame, TO_YOU } from '../navigation/page.tsx'
import { toAppError } from '../store/app-error.ts'
import { useOrganization } from '../store/organization.ts'
import { rich } from '../text/rich.ts'
import { t } from '../text/t.ts'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorNotice, Notice } from '../ui/notice.tsx'
import { Empty, Loading } from '../ui/page-states.tsx'
import { SelectField } from '../ui/select-field.tsx'
import * as tabsCss from '../ui/tabs.module.css'
import { Time } from '../ui/time.tsx'
import { Attempts, DELIVERY_LOOKS, DeliveryBadge, RetryButton } from './delivery.tsx'
import { failedMails, invitationLinkIn, type Mail, type MailState, mailList, mailQuery, templateName } from './mails.ts'
import * as css from './outbox.module.css'

type Message = NonNullable<AnswerOf<'GET /mails/{mail_id}'>['message']>

/** An email as its recipient gets it, with its delivery status. */
export function MailDialog({ mailId, onClose }: { mailId: number; onClose: () => void }): ReactNode {
  const { data, error, refetch } = useQuery(mailQuery(mailId))
  return (
    <Dialog
      title={data === undefined ? t('Email') : templateName(data.mail.letter)}
      size="side"
      isOpen
      onClose={onClose}
    >
      <div className="dialog-body">
        {error !== null && data === undefined ? (
          <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
        ) : data === undefined ? (
          <Loading label={t('Loading email')} lines={6} />
        ) : (
          <>
            <div className="row">
              <DeliveryBadge state={data.mail.state} />
              <span className="soft">{data.mail.recipient ?? t('to a hidden address')}</span>
            </div>
            <RetryButton mail={data.mail} hasRelay={data.has_relay} />
            {data.message === null ? (
              <NoContents contents={data.contents} />
            ) : (
              <Contents mailId={mailId} message={data.message} />
            )}
            <section className="stack" aria-label={t('Delivery')}>
              <h3>{t('Delivery')}</h3>
              <Attempts attempts={data.attempts} />
            </section>
          </>
        )}
      </div>
    </Dialog>
  )
}

function NoContents({ contents }: { contents: AnswerOf<'GET /mails/{mail_id}'>['contents'] }): ReactNode {
  return contents === 'private' ? (
    <Notice title={t('Only for the recipient')}>
      <p>{t('This email contains a link that gives access to the account, so only the recipient can read it.')}</p>
    </Notice>
  ) : (
    <Notice title={t('Content no longer available')}>
      <p>{t('The invitation was used or revoked, or has expired, so its link was deleted.')}</p>
    </Notice>
  )
}

/** The email as HTML, text and headers. */
function Contents({ mailId, message }: { mailId: number; message: Message }): ReactNode {
  const link = invitationLinkIn(message.text)
  return (
    <section className="stack" aria-label={t('Contents')}>
      <h3>{message.subject}</h3>
      {link !== undefined && (
        <div>
          <CopyButton text={link}>{t('Copy link')}</CopyButton>
        </div>
      )}
      <Tabs className={css.mailTabs}>
        <TabList className={tabsCss.tabList} aria-label={t('Show as')}>
          <Tab id="html" className={tabsCss.tab}>
            {t('HTML')}
          </Tab>
          <Tab id="text" className={tabsCss.tab}>
            {t('Text')}
          </Tab>
          <Tab id="headers" className={tabsCss.tab}>
            {t('Headers')}
          </Tab>
        </TabList>
        <TabPanel id="html">
          <iframe className={css.mailFrame} title={t('Email as HTML')} sandbox="" src={`/mails/${mailId}/html`} />
        </TabPanel>
        <TabPanel id="text">
          <pre className={css.mailText}>{message.text}</pre>
        </TabPanel>
        <TabPanel id="headers">
          <dl className={css.mailHeaders}>
            {Object.entries(message.headers).map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </TabPanel>
      </Tabs>
    </section>
  )
}

/** A row of the outbox. The whole row is a button. */
export function MailRow({ mail, onOpen }: { mail: Mail; onOpen: () => void }): ReactNode {
  const { recipient, letter, state, queued_at, next_attempt_at, attempts } = mail
  return (
    <li>
      <AriaButton className={css.mailRow} onPress={onOpen}>
        <span className={css.mailRowText}>
          <b>{recipient ?? t('Hidden address')}</b>
          <span className="soft small">{templateName(letter)}</span>
        </span>
        <span className={css.mailRowState}>
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
      </AriaButton>
    </li>
  )
}

/** All emails of the organization with their delivery status. */
export function Outbox(): ReactNode {
  const { realm_name, is_admin } = useOrganization('realm_name', 'is_admin')
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
      <div className={css.outboxTools}>
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
        <div className={css.outboxMore}>
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
      {hasHeading && <h2 className={css.mailHeading}>{label}</h2>}
      <ul className={`card ${css.mailList}`} aria-label={label}>
        {mails.map((mail) => (
          <MailRow key={mail.id} mail={mail} onOpen={() => onOpen(mail.id)} />
        ))}
      </ul>
    </>
  )
}
