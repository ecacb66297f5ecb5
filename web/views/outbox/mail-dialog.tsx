import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components/Tabs'
import type { AnswerOf } from '../../api/types.ts'
import { toAppError } from '../../store/app-error.ts'
import { CopyButton } from '../../ui/buttons/copy-button.tsx'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import { ErrorNotice } from '../../ui/feedback/error-notice.tsx'
import { Loading } from '../../ui/feedback/loading.tsx'
import { Notice } from '../../ui/feedback/notice.tsx'
import '../../ui/layout/tabs.css'
import { t } from '../../text/t.ts'
import { Attempts } from './attempts.tsx'
import { DeliveryBadge } from './delivery-badge.tsx'
import { invitationLinkIn, mailQuery, templateName } from './mails.ts'
import { RetryButton } from './retry-button.tsx'

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
      <Tabs className="mail-tabs">
        <TabList className="tab-list" aria-label={t('Show as')}>
          <Tab id="html" className="tab">
            {t('HTML')}
          </Tab>
          <Tab id="text" className="tab">
            {t('Text')}
          </Tab>
          <Tab id="headers" className="tab">
            {t('Headers')}
          </Tab>
        </TabList>
        <TabPanel id="html">
          <iframe className="mail-frame" title={t('Email as HTML')} sandbox="" src={`/mails/${mailId}/html`} />
        </TabPanel>
        <TabPanel id="text">
          <pre className="mail-text">{message.text}</pre>
        </TabPanel>
        <TabPanel id="headers">
          <dl className="mail-headers">
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
