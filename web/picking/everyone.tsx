import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { toAppError } from '../store/app-error.ts'
import { loadEveryone, useIsListIncomplete } from '../store/people-on-demand.ts'
import { t } from '../text/t.ts'
import { ErrorNotice } from '../ui/notice.tsx'
import { Loading } from '../ui/page-states.tsx'

/** Shows its content once the client knows everyone. In large organizations, it fetches them first. */
export function Everyone({ children }: { children: ReactNode }): ReactNode {
  const isIncomplete = useIsListIncomplete()
  const { error, refetch } = useQuery({
    queryKey: ['everyone'],
    queryFn: loadEveryone,
    enabled: isIncomplete,
    staleTime: 0,
    gcTime: 0,
  })
  if (!isIncomplete) return children
  if (error !== null) return <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
  return <Loading label={t('Loading people')} lines={6} />
}
