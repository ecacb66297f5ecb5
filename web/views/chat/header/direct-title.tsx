import type { ReactNode } from 'react'
import { usePerson } from '../../../store/organization.ts'
import { usePresence } from '../../../store/people/presences.ts'
import { Avatar, GroupAvatar } from '../../../ui/people/avatar.tsx'
import { useMinute } from '../../../ui/time/time.tsx'
import { presenceText } from '../../people/person-row.ts'

/** The picture of a direct message conversation: of the other person, with their presence, or of a group. */
export const DirectIcon = ({ people }: { people: readonly number[] }): ReactNode =>
  people.length > 1 ? <GroupAvatar /> : <PersonIcon id={people[0] ?? 0} />

function PersonIcon({ id }: { id: number }): ReactNode {
  const person = usePerson(id)
  const presence = usePresence(id)
  return (
    <Avatar
      id={id}
      name={person?.full_name ?? '?'}
      url={person?.avatar_url ?? null}
      presence={presence?.kind ?? null}
    />
  )
}

/** The presence of the other person in a conversation; nothing if there are several. */
export function DirectAbout({ people }: { people: readonly number[] }): ReactNode {
  const presence = usePresence(people[0] ?? 0)
  const now = useMinute()
  return people.length === 1 && presence !== null ? presenceText(presence, now) : null
}
