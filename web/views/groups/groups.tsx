import { useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useOrganization } from '../../store/organization.ts'
import './groups.css'
import { GroupList } from './group-list.tsx'
import { GroupPage } from './group-page.tsx'

/** All groups, or the one in the URL. */
export function Groups(): ReactNode {
  const { group: id } = useSearch({ from: '/organization/$section' })
  const { realm_user_groups } = useOrganization()
  if (id === undefined) return <GroupList />
  const group = realm_user_groups.find((one) => one.id === id && !one.is_system_group)
  return <GroupPage key={id} group={group} />
}
