import { useNavigate, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useOrganizationPart } from '../store/organization.ts'
import { homePath } from './home-path.ts'

/** Redirects to the user's home view. */
export function Home(): null {
  const view = useOrganizationPart(({ user_settings }) => user_settings.web_home_view)
  const router = useRouter()
  const navigate = useNavigate()
  useEffect(() => {
    const { search, hash } = router.state.location
    void navigate({ to: homePath(view), search, hash, replace: true })
  }, [router, navigate, view])
  return null
}
