import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { toAppError } from '../../../store/app-error.ts'
import { t } from '../../../text/t.ts'
import { ErrorNotice } from '../../../ui/feedback/error-notice.tsx'
import { Loading } from '../../../ui/feedback/loading.tsx'
import { DefaultField } from './default-field.tsx'
import { DEFAULT_SECTIONS } from './default-sections.ts'
import { DEFAULTS_KEY, fetchDefaults } from './defaults.ts'

/** The personal settings that new accounts start with. */
export function NewUsers(): ReactNode {
  const { data, error, refetch } = useQuery({ queryKey: DEFAULTS_KEY, queryFn: fetchDefaults, staleTime: 0 })
  if (error !== null) return <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading label={t('Loading default settings')} lines={6} />
  return (
    <div className="stack">
      {DEFAULT_SECTIONS.map(({ id, title, fields }) => (
        <section key={id} className="card settings-card" aria-labelledby={`defaults-${id}`}>
          <h2 id={`defaults-${id}`}>{title}</h2>
          {fields.map((field) => (
            <DefaultField key={field.name} field={field} value={data[field.name]} />
          ))}
        </section>
      ))}
    </div>
  )
}
