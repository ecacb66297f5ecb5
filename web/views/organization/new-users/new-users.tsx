import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { toAppError } from '../../../store/app-error.ts'
import { DEFAULTS_KEY } from '../../../store/realm-queries.ts'
import { t } from '../../../text/t.ts'
import { ErrorNotice } from '../../../ui/feedback/error-notice.tsx'
import { Loading } from '../../../ui/feedback/loading.tsx'
import { SettingsGroup } from '../../settings/rows/settings-group.tsx'
import { DefaultField } from './default-field.tsx'
import { DEFAULT_SECTIONS } from './default-sections.ts'
import { fetchDefaults } from './defaults.ts'

/** The personal settings that new accounts start with. */
export function NewUsers(): ReactNode {
  const { data, error, refetch } = useQuery({ queryKey: DEFAULTS_KEY, queryFn: fetchDefaults, staleTime: 0 })
  if (error !== null) return <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading label={t('Loading default settings')} lines={6} />
  return (
    <>
      {DEFAULT_SECTIONS.map(({ id, title, fields }) => (
        <SettingsGroup key={id} title={title}>
          {fields.map((field) => (
            <DefaultField key={field.name} field={field} value={data[field.name]} />
          ))}
        </SettingsGroup>
      ))}
    </>
  )
}
