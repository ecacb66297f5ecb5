import type { ReactNode } from 'react'
import { EmojiGlyph } from '../emoji/emoji-glyph.tsx'
import { type Organization, usePerson } from '../store/organization.ts'
import { usePresence } from '../store/presence.ts'
import { Avatar, GroupAvatar } from '../ui/avatar.tsx'
import { useMinute } from '../ui/moments.ts'
import { presenceText } from './person-row.ts'

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

/** The emoji of a user's status, if it has one. */
export function StatusEmoji({ status }: { status: Organization['user_status'][string] | undefined }): ReactNode {
  const { emoji_name, emoji_code, reaction_type } = status ?? {}
  if (emoji_name === undefined || emoji_code === undefined || reaction_type === undefined) return null
  return <EmojiGlyph emoji={{ emoji_name, emoji_code, reaction_type }} mayBeName />
}
