import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { call } from '../../api/call.ts'
import { toAppError } from '../../store/app-error.ts'
import { useOrganization } from '../../store/organization.ts'
import { queryClient } from '../../store/query-client.ts'
import { DOMAINS_KEY } from '../../store/realm-queries.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { ErrorNotice } from '../../ui/feedback/error-notice.tsx'
import { Loading } from '../../ui/feedback/loading.tsx'
import { TextField } from '../../ui/fields/field.tsx'
import { SettingsGroup } from '../settings/rows/settings-group.tsx'
import { SavedCheck } from './saved-fields.tsx'
import { mayChangeSetting } from './use-realm-setting.ts'

const refresh = () => queryClient.invalidateQueries({ queryKey: DOMAINS_KEY })

/** The allowed email domains. */
export function Domains(): ReactNode {
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
        <ul className="domain-list" aria-label={t('Domains')}>
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
    <form className="settings-form" onSubmit={submit} noValidate>
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
