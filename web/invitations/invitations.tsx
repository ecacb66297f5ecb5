import { Link } from '@tanstack/react-router'
import Download from 'lucide-react/icons/download'
import EyeOff from 'lucide-react/icons/eye-off'
import SearchX from 'lucide-react/icons/search-x'
import Send from 'lucide-react/icons/send'
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react'
import { PageFrame, TO_YOU } from '../navigation/page.tsx'
import { toAppError } from '../store/app-error.ts'
import { useOrganization } from '../store/organization.ts'
import { roleName } from '../store/people.ts'
import { t } from '../text/t.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { saveFile } from '../ui/files.ts'
import { ErrorNotice } from '../ui/notice.tsx'
import { Empty, Loading } from '../ui/page-states.tsx'
import { SelectField } from '../ui/select-field.tsx'
import * as css from '../ui/table-tools.module.css'
import { useMayInvite } from './invitation-draft.ts'
import { useInvitations } from './table/invitation-actions.ts'
import { filterInvitations, type InvitationEntry, type InvitationFilter, toCsv } from './table/invitation-rows.ts'
import { InvitationTable } from './table/invitation-table.tsx'

const STATES = [
  { id: 'any', label: t('Any status') },
  { id: 'pending', label: t('Pending') },
  { id: 'failed', label: t('Email failed') },
  { id: 'expired', label: t('Expired') },
  { id: 'used', label: t('Used') },
  { id: 'withdrawn', label: t('Revoked') },
] as const

export function TableFilters({
  filter,
  onChange,
}: {
  filter: InvitationFilter
  onChange: (filter: InvitationFilter) => void
}): ReactNode {
  const { is_admin } = useOrganization('is_admin')
  return (
    <search className={css.tableFilters} aria-label={t('Filter invitations')}>
      <TextField
        label={t('Search')}
        type="search"
        placeholder={t('Email or inviter')}
        value={filter.text}
        onChange={(text) => onChange({ ...filter, text })}
      />
      <SelectField
        label={t('Status')}
        value={filter.state}
        onChange={(state) => onChange({ ...filter, state })}
        options={STATES}
      />
      {is_admin && (
        <SelectField
          label={t('Invited by')}
          value={filter.whose}
          onChange={(whose) => onChange({ ...filter, whose })}
          options={[
            { id: 'all', label: t('Anyone') },
            { id: 'mine', label: t('Me') },
          ]}
        />
      )}
    </search>
  )
}

const EVERYTHING: InvitationFilter = { whose: 'all', state: 'any', text: '' }

export function Invitations(): ReactNode {
  const { realm_name, is_guest } = useOrganization('realm_name', 'is_guest')
  return (
    <PageFrame
      title={t('Invitations')}
      within={realm_name}
      icon={<Send className="icon" aria-hidden="true" />}
      about={t('Invitations and their status. Used, expired and revoked ones stay here for 30 days.')}
      back={TO_YOU}
    >
      {is_guest ? (
        <Empty icon={<EyeOff />} title={t('Guests can’t send invitations')}>
          <p>{t('Ask a member of {organization} to invite people for you.', { organization: realm_name })}</p>
        </Empty>
      ) : (
        <Listing />
      )}
    </PageFrame>
  )
}

function Listing(): ReactNode {
  const { rows, error, retry } = useInvitations()
  const [filter, setFilter] = useState(EVERYTHING)
  const { user_id } = useOrganization('user_id')
  const appliedFilter = useDeferredValue(filter)
  const shown = useMemo(() => filterInvitations(rows ?? [], appliedFilter, user_id), [rows, appliedFilter, user_id])
  if (error !== null) return <ErrorNotice error={toAppError(error)} onRetry={retry} />
  if (rows === undefined) return <Loading label={t('Loading invitations')} lines={6} />
  if (rows.length === 0) return <NoInvitations />
  return (
    <>
      <div className={css.tableTools}>
        <TableFilters filter={filter} onChange={setFilter} />
        <Button icon={<Download className="icon" aria-hidden="true" />} onPress={() => saveCsv(shown)}>
          {t('Export CSV')}
        </Button>
      </div>
      <p className="visually-hidden" role="status">
        {t('{count, number} of {total, plural, one {# invitation} other {# invitations}}', {
          count: shown.length,
          total: rows.length,
        })}
      </p>
      {shown.length === 0 ? (
        <Empty icon={<SearchX />} title={t('No matching invitations')}>
          <p>{t('Try a different search.')}</p>
          <Button onPress={() => setFilter(EVERYTHING)}>{t('Show all {count}', { count: rows.length })}</Button>
        </Empty>
      ) : (
        <InvitationTable rows={shown} />
      )}
    </>
  )
}

/** Saves the rows with a byte order mark, so that spreadsheets read the file as UTF-8. */
const saveCsv = (rows: readonly InvitationEntry[]) =>
  saveFile('invitations.csv', `\ufeff${toCsv(rows, roleName)}`, 'text/csv')

function NoInvitations(): ReactNode {
  const { byEmail, byLink } = useMayInvite()
  return (
    <Empty icon={<Send />} title={t('No invitations')}>
      <p>{t('Invite people by email or with a link. You’ll see here whether the email arrived and who joined.')}</p>
      <div className="row">
        {byEmail && (
          <Link to="/invitations" search={{ invite: 'email' }} className="button button-primary">
            {t('Invite by email')}
          </Link>
        )}
        {byLink && (
          <Link to="/invitations" search={{ invite: 'link' }} className="button">
            {t('Create invitation link')}
          </Link>
        )}
      </div>
    </Empty>
  )
}
