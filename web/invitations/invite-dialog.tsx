import { useQuery } from '@tanstack/react-query'
import Link2 from 'lucide-react/icons/link-2'
import Mail from 'lucide-react/icons/mail'
import type { ReactNode } from 'react'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components/Tabs'
import { HelpLink } from '../help/help-link.tsx'
import { toAppError } from '../store/app-error.ts'
import { useOrganization } from '../store/organization.ts'
import { t } from '../text/t.ts'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorNotice, Notice } from '../ui/notice.tsx'
import { Loading } from '../ui/page-states.tsx'
import * as tabsCss from '../ui/tabs.module.css'
import { type InvitationChoices, invitationChoices } from './invitation-draft.ts'
import { EmailForm } from './invite/email-form.tsx'
import { LinkForm } from './invite/link-form.tsx'
import * as css from './invite-dialog.module.css'

type Kind = 'email' | 'link'

/** The dialog that invites people by email or with a link. */
export function InviteDialog(props: { tab: Kind; onTab: (tab: Kind) => void; onClose: () => void }): ReactNode {
  const { tab, onTab, onClose } = props
  const { realm_name } = useOrganization('realm_name')
  const { data, error, refetch } = useQuery({ ...invitationChoices, staleTime: 0 })
  return (
    <Dialog
      title={t('Invite people to {organization}', { organization: realm_name })}
      size="large"
      isOpen
      onClose={onClose}
      help={<HelpLink page="invite-people" about={t('Invite people')} onLeave={onClose} />}
    >
      {error !== null ? (
        <div className="dialog-body">
          <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
        </div>
      ) : data === undefined ? (
        <div className="dialog-body">
          <Loading label={t('Loading options')} lines={5} />
        </div>
      ) : (
        <Tabs className={css.inviteTabs} selectedKey={tab} onSelectionChange={(key) => onTab(key as Kind)}>
          <TabList className={`${tabsCss.tabList} ${css.inviteTabList}`} aria-label={t('Invitation method')}>
            <Tab id="email" className={tabsCss.tab}>
              <Mail className="icon" aria-hidden="true" /> {t('By email')}
            </Tab>
            <Tab id="link" className={tabsCss.tab}>
              <Link2 className="icon" aria-hidden="true" /> {t('By link')}
            </Tab>
          </TabList>
          <TabPanel id="email" className={css.invitePanel} shouldForceMount>
            {data.may_invite_by_email ? (
              <EmailForm choices={data} onClose={onClose} />
            ) : (
              <Denied choices={data} kind="email" />
            )}
          </TabPanel>
          <TabPanel id="link" className={css.invitePanel} shouldForceMount>
            {data.may_make_links ? (
              <LinkForm choices={data} onClose={onClose} />
            ) : (
              <Denied choices={data} kind="link" />
            )}
          </TabPanel>
        </Tabs>
      )}
    </Dialog>
  )
}

function Denied({ choices, kind }: { choices: InvitationChoices; kind: Kind }): ReactNode {
  const other = kind === 'email' ? choices.may_make_links : choices.may_invite_by_email
  return (
    <div className="dialog-body">
      <Notice
        kind="info"
        title={kind === 'email' ? t('You can’t invite people by email') : t('You can’t create invitation links')}
      >
        <p>
          {!other
            ? t('Ask an administrator to invite people for you.')
            : kind === 'email'
              ? t('You can create an invitation link instead.')
              : t('You can invite people by email instead.')}
        </p>
      </Notice>
    </div>
  )
}
