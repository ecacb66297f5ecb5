import { useNavigate, useRouterState } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { useOrganization } from '../store/organization.ts'
import { readHash } from '../views/chat/read-hash.ts'
import { toLocation } from '../views/chat/to-location.ts'
import { readPersonHash } from '../views/people/link-to-person.ts'

/** Redirects `#narrow` and `#user` links, from messages or copied from any client, to their page. */
export function NarrowHash(): ReactNode {
  const hash = useRouterState({ select: ({ location }) => location.hash })
  const { user_id } = useOrganization()
  const navigate = useNavigate()
  useEffect(() => {
    const personId = readPersonHash(hash)
    if (personId !== null)
      void navigate({ to: '/people/$userId', params: { userId: personId }, hash: '', replace: true })
    const found = readHash(hash, user_id)
    if (found !== null) void navigate({ ...toLocation(found.narrow, found.near), replace: true })
  }, [hash, user_id, navigate])
  return null
}
