import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { usePerson } from '../../store/organization.ts'
import { t } from '../../text/t.ts'

/** The name of a user as a link to their profile. */
export function PersonLink({ userId }: { userId: number }): ReactNode {
  const person = usePerson(userId)
  if (person === undefined) return t('Unknown user')
  return (
    <Link to="/people/$userId" params={{ userId: String(userId) }}>
      {person.full_name}
    </Link>
  )
}
