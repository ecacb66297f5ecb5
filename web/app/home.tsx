import { Navigate, useLocation } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useOrganizationPart } from '../store/organization.ts'
import { homePath } from './home-path.ts'

/** Leads to the view that the user sees first. */
export function Home(): ReactNode {
  const view = useOrganizationPart(({ user_settings }) => user_settings.web_home_view)
  const { search, hash } = useLocation()
  return <Navigate to={homePath(view)} search={search} hash={hash} replace />
}
