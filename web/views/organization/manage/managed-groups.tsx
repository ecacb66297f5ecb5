import type { ReactNode } from 'react'
import { call } from '../../../api/call.ts'
import { type Person, useOrganization } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { MembershipList } from './membership-list.tsx'

/** The groups that a person is a direct member of. */
export function ManagedGroups({ person: { user_id } }: { person: Person }): ReactNode {
  const { realm_user_groups } = useOrganization()
  const groups = realm_user_groups.filter(({ is_system_group, deactivated }) => !is_system_group && !deactivated)
  const toOption = ({ id, name }: (typeof groups)[number]) => ({ id, label: name })
  if (groups.length === 0) return null
  return (
    <MembershipList
      title={t('Groups')}
      addLabel={t('Add to a group')}
      present={groups.filter(({ members }) => members.includes(user_id)).map(toOption)}
      others={groups.filter(({ members }) => !members.includes(user_id)).map(toOption)}
      add={(id) => call('POST /user_groups/{user_group_id}/members', { user_group_id: id, add: [user_id] })}
      remove={(id) => call('POST /user_groups/{user_group_id}/members', { user_group_id: id, delete: [user_id] })}
    />
  )
}
