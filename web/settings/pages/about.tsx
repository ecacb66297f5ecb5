import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { call } from '../../api/call.ts'
import { SettingsGroup } from '../../forms/setting-row.tsx'
import * as css from '../../forms/settings.module.css'
import { toAppError } from '../../store/app-error.ts'
import { useOrganization } from '../../store/organization.ts'
import { rich } from '../../text/rich.ts'
import { t } from '../../text/t.ts'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Loading } from '../../ui/page-states.tsx'
import { ORGANIZATION_TYPES } from '../organization-settings.ts'

const LICENSE = 'https://www.apache.org/licenses/LICENSE-2.0'
const INTER = 'https://openfontlicense.org'

const UNSPECIFIED = 0

/** Returns the commit from which the server was built; null if it does not know. */
async function fetchCommit({ signal }: { signal: AbortSignal }): Promise<string | null> {
  const response = await fetch('/health', { signal })
  return /\bcommit ([0-9a-f]+)/.exec(await response.text())?.[1] ?? null
}

/** The organization, the version of the server, and the licenses of the software. */
export function About(): ReactNode {
  const { realm_url, realm_name, realm_description, realm_org_type } = useOrganization(
    'realm_url',
    'realm_name',
    'realm_description',
    'realm_org_type',
  )
  const { data, error, refetch } = useQuery({
    queryKey: ['server-settings'],
    queryFn: ({ signal }) => call('GET /server_settings', {}, { signal }),
  })
  const { data: commit } = useQuery({ queryKey: ['server-commit'], queryFn: fetchCommit })
  const link = (href: string) => (children: ReactNode) => (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )
  const type = ORGANIZATION_TYPES.find(({ id }) => id !== UNSPECIFIED && id === realm_org_type)
  return (
    <>
      <SettingsGroup title={t('Organization')}>
        <dl className={css.aboutList}>
          <dt>{t('Name')}</dt>
          <dd>{realm_name}</dd>
          {type !== undefined && (
            <>
              <dt>{t('Type')}</dt>
              <dd>{type.label}</dd>
            </>
          )}
          {realm_description !== '' && (
            <>
              <dt>{t('Description')}</dt>
              <dd>{realm_description}</dd>
            </>
          )}
        </dl>
      </SettingsGroup>
      <SettingsGroup title={t('Version')}>
        {error !== null ? (
          <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
        ) : data === undefined ? (
          <Loading label={t('Loading version')} lines={1} />
        ) : (
          <dl className={css.aboutList}>
            <dt>{t('Parley')}</dt>
            <dd>{import.meta.env['PARLEY_VERSION']}</dd>
            {typeof commit === 'string' && (
              <>
                <dt>{t('Commit')}</dt>
                <dd>{commit}</dd>
              </>
            )}
            <dt>{t('Zulip API')}</dt>
            <dd>
              {t('{version}, feature level {level}', {
                version: data.zulip_version,
                level: String(data.zulip_feature_level),
              })}
            </dd>
            <dt>{t('Server')}</dt>
            <dd>{realm_url}</dd>
          </dl>
        )}
      </SettingsGroup>
      <SettingsGroup title={t('For developers')}>
        <p>{rich('Programs can use the <link>API of this server</link>.', { link: link('/api') })}</p>
      </SettingsGroup>
      <SettingsGroup title={t('Licenses')}>
        <p>
          {rich('Parley is open-source software under the <link>Apache License 2.0</link>.', { link: link(LICENSE) })}
        </p>
        <p>{rich('The typeface is Inter, under the <link>SIL Open Font License 1.1</link>.', { link: link(INTER) })}</p>
      </SettingsGroup>
    </>
  )
}
