import type { ReactNode } from 'react'
import { toAppError } from '../../store/app-error.ts'
import type { Person } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { Notice } from '../../ui/feedback/notice.tsx'
import type { Failure } from '../invitations/run-all.ts'

/** The accounts for which an action failed, each with its error. */
export function Failures({ failures }: { failures: readonly Failure<Person>[] }): ReactNode {
  if (failures.length === 0) return null
  return (
    <Notice kind="danger" title={t('Some accounts couldn’t be changed')} isUrgent>
      <ul className="account-list">
        {failures.map(({ item, error }) => (
          <li key={item.user_id}>
            {item.full_name}: {toAppError(error).message}
          </li>
        ))}
      </ul>
    </Notice>
  )
}
