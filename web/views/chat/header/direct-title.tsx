import type { ReactNode } from 'react'
import { usePerson } from '../../../store/organization.ts'
import { usePresence } from '../../../store/people/presences.ts'
import { Avatar } from '../../../ui/people/avatar.tsx'
import { useMinute } from '../../../ui/time/time.tsx'
import { presenceText } from '../../people/person-row.ts'

/**
 * The picture of the first person in a direct message conversation. If nobody else is in it, the picture also shows the
 * person's presence.
 */
export function DirectIcon({ people }: { people: readonly number[] }): ReactNode {
  const id = people[0] ?? 0
  const person = usePerson(id)
  const presence = usePresence(id)
  return (
    <Avatar
      id={id}
      name={person?.full_name ?? '?'}
      url={person?.avatar_url ?? null}
      presence={people.length === 1 ? (presence?.kind ?? null) : null}
    />
  )
}

/** The presence of the other person in a conversation; nothing if there are several. */
export function DirectAbout({ people }: { people: readonly number[] }): ReactNode {
  const presence = usePresence(people[0] ?? 0)
  const now = useMinute()
  return people.length === 1 && presence !== null ? presenceText(presence, now) : null
}
