import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useState } from 'react'
import { call } from '../../api/call.ts'
import { SettingsGroup } from '../../forms/setting-row.tsx'
import * as settingsCss from '../../forms/settings.module.css'
import { toAppError } from '../../store/app-error.ts'
import { useOrganization } from '../../store/organization.ts'
import { DOMAINS_KEY, queryClient } from '../../store/query-client.ts'
import { rich } from '../../text/rich.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Loading } from '../../ui/page-states.tsx'
import * as css from '../organization.module.css'
import { mayChangeSetting, SavedCheck, SavedNumber } from './saved-fields.tsx'

const refresh = () => queryClient.invalidateQueries({ queryKey: DOMAINS_KEY })

/** The allowed email domains. */
function Domains(): ReactNode {
  const organization = useOrganization()
  const { data, error, refetch } = useQuery({
    queryKey: DOMAINS_KEY,
    queryFn: async ({ signal }) => (await call('GET /realm/domains', {}, { signal })).domains,
  })
  const removing = useMutation({
    mutationFn: (domain: string) => call('DELETE /realm/domains/{domain}', { domain }),
    onSettled: refresh,
  })
  const isOwn = mayChangeSetting(organization, 'emails_restricted_to_domains')
  return (
    <SettingsGroup title={t('Domains')}>
      <SavedCheck
        name="emails_restricted_to_domains"
        hint={t('If you remove the last domain, people can join with any email address.')}
      >
        {t('Only allow email addresses from certain domains')}
      </SavedCheck>
      {error !== null ? (
        <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading label={t('Loading domains')} lines={1} />
      ) : data.length === 0 ? (
        <p className="soft">{t('No domains yet.')}</p>
      ) : (
        <ul className={css.domainList} aria-label={t('Domains')}>
          {data.map(({ domain, allow_subdomains }) => (
            <li key={domain} className="row">
              {domain}
              {allow_subdomains && <span className="soft small">{t('and subdomains')}</span>}
              {isOwn && (
                <Button
                  kind="quiet"
                  aria-label={t('Remove {domain}', { domain })}
                  onPress={() => removing.mutate(domain)}
                >
                  {t('Remove')}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {removing.error !== null && <ErrorNotice error={toAppError(removing.error)} />}
      {isOwn && <NewDomain />}
    </SettingsGroup>
  )
}

function NewDomain(): ReactNode {
  const [domain, setDomain] = useState('')
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (given: string) => call('POST /realm/domains', { domain: given }),
    // The user may have typed another domain meanwhile.
    onSuccess: (_, given) => setDomain((now) => (now.trim() === given ? '' : now)),
    onSettled: refresh,
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    if (domain.trim() !== '' && !isPending) mutate(domain.trim())
  }

  return (
    <form className={settingsCss.settingsForm} onSubmit={submit} noValidate>
      <TextField
        label={t('Add a domain')}
        placeholder={t('example.com')}
        autoComplete="off"
        value={domain}
        error={error === null ? null : toAppError(error).message}
        onChange={(value) => {
          setDomain(value)
          reset()
        }}
        after={
          <Button type="submit" isPending={isPending}>
            {t('Add')}
          </Button>
        }
      />
    </form>
  )
}

const WAITING = [
  { value: 0, label: t('Immediately') },
  { value: 3, label: t('After 3 days') },
  { value: 7, label: t('After a week') },
  { value: 30, label: t('After 30 days') },
]

const HOUR = 60
const DAY = 24 * HOUR

const IDLE = [
  { value: 15, label: t('For 15 minutes') },
  { value: HOUR, label: t('For an hour') },
  { value: 8 * HOUR, label: t('For 8 hours') },
  { value: DAY, label: t('For a day') },
  { value: 7 * DAY, label: t('For 7 days') },
  { value: null, label: t('For 30 days') },
]

const LIFETIME = [
  { value: 12 * HOUR, label: t('After 12 hours') },
  { value: DAY, label: t('After a day') },
  { value: 7 * DAY, label: t('After 7 days') },
  { value: 30 * DAY, label: t('After 30 days') },
  { value: null, label: t('After 180 days') },
]

/** Settings about joining, and about what people can change in their profiles. */
export function Joining(): ReactNode {
  return (
    <>
      <SettingsGroup title={t('How people join')}>
        <p className="soft">
          {rich(
            '<invitations>Invitations</invitations> are sent by email or shared as links. <permissions>Permissions</permissions> control who can invite people.',
            {
              invitations: (children) => <Link to="/invitations">{children}</Link>,
              permissions: (children) => (
                <Link to="/organization/$section" params={{ section: 'permissions' }}>
                  {children}
                </Link>
              ),
            },
          )}
        </p>
        <SavedCheck
          name="invite_required"
          hint={t(
            'If off, anyone with an allowed email address can create an account from the login page. New accounts can invite others after three days.',
          )}
        >
          {t('Require an invitation to join')}
        </SavedCheck>
        <SavedCheck name="disallow_disposable_email_addresses">
          {t('Don’t allow disposable email addresses')}
        </SavedCheck>
        <SavedNumber
          name="waiting_period_threshold"
          label={t('New users become full members')}
          options={WAITING}
          describe={(value) => t('{value, plural, one {After # day} other {After # days}}', { value })}
        />
      </SettingsGroup>
      <Domains />
      <SettingsGroup title={t('Accounts')}>
        <SavedCheck name="require_unique_names" hint={t('Existing accounts keep their names.')}>
          {t('Require unique names')}
        </SavedCheck>
        <SavedCheck name="name_changes_disabled">{t('Only administrators can change names')}</SavedCheck>
        <SavedCheck name="email_changes_disabled">{t('Only administrators can change email addresses')}</SavedCheck>
        <SavedCheck name="avatar_changes_disabled">{t('Only administrators can change profile pictures')}</SavedCheck>
      </SettingsGroup>
      <SettingsGroup title={t('Sessions')}>
        <SavedNumber
          name="session_idle_minutes"
          label={t('Log browsers out if they are not used')}
          hint={t('An open tab alone does not count as use. Browsers that don’t stay logged in end after a day.')}
          options={IDLE}
          describe={(value) => t('{value, plural, one {For # minute} other {For # minutes}}', { value })}
        />
        <SavedNumber
          name="session_lifetime_minutes"
          label={t('Log browsers out after a login')}
          hint={t('People then log in again, even if they use the browser.')}
          options={LIFETIME}
          describe={(value) => t('{value, plural, one {After # minute} other {After # minutes}}', { value })}
        />
      </SettingsGroup>
      <SettingsGroup title={t('Guests')}>
        <SavedCheck name="enable_guest_user_indicator">{t('Show a badge next to guests’ names')}</SavedCheck>
        <SavedCheck name="enable_guest_user_dm_warning">
          {t('Warn before someone sends a direct message to a guest')}
        </SavedCheck>
      </SettingsGroup>
    </>
  )
}
