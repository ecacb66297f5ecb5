import type { ReactNode } from 'react'
import { Role } from '#rules/role.ts'
import { type Person, useOrganizationPart, useOwnId } from '../../../store/organization.ts'
import { usePresence } from '../../../store/people/presences.ts'
import { roleName } from '../../../store/people/role.ts'
import { rich } from '../../../text/rich.ts'
import { t } from '../../../text/t.ts'
import { Avatar } from '../../../ui/people/avatar.tsx'
import { Badge } from '../../../ui/text/badge.tsx'
import { useMinute } from '../../../ui/time/time.tsx'
import { EndTime } from '../../scheduling/end-time.tsx'
import { GuestBadge } from '../guest-badge.tsx'
import { presenceText } from '../person-row.ts'
import { StatusEmoji } from '../status-emoji.tsx'

/** A user's picture, name, role, presence and status. */
export function PersonHead({ person, level = 2 }: { person: Person; level?: 1 | 2 }): ReactNode {
  const { user_id, full_name, avatar_url, is_bot, is_active, role } = person
  const isOwn = user_id === useOwnId()
  const presence = usePresence(user_id)
  const Heading = level === 1 ? 'h1' : 'h2'
  return (
    <div className="person-head">
      <Avatar
        id={user_id}
        name={full_name}
        url={avatar_url}
        presence={is_active && !is_bot ? (presence?.kind ?? null) : null}
      />
      <div className="person-head-text">
        <div className="person-head-name">
          <Heading dir="auto">{full_name}</Heading>
          {isOwn && <span className="soft">{t('(you)')}</span>}
          {!is_active && <Badge kind="warn">{t('Deactivated')}</Badge>}
          {is_bot && <Badge>{t('Bot')}</Badge>}
          {/* The page of the person has the role below. */}
          {!is_bot && level === 2 && role === Role.guest && <GuestBadge />}
          {!is_bot && level === 2 && role < Role.member && <Badge>{roleName(role)}</Badge>}
        </div>
        {is_active && !is_bot && <PresenceLine userId={user_id} />}
        <StatusLine userId={user_id} />
      </div>
    </div>
  )
}

function PresenceLine({ userId }: { userId: number }): ReactNode {
  const presence = usePresence(userId)
  const now = useMinute()
  if (presence === null) return null
  const text = presenceText(presence, now)
  return <p className="soft small">{text.charAt(0).toUpperCase() + text.slice(1)}</p>
}

function StatusLine({ userId }: { userId: number }): ReactNode {
  const status = useOrganizationPart(({ user_status }) => user_status[userId])
  if (status === undefined) return null
  const text = (
    <span dir="auto">
      <StatusEmoji status={status} /> {status.status_text ?? status.emoji_name}
    </span>
  )
  const { scheduled_end_time: end } = status
  return (
    <p className="person-head-status">
      {end == null
        ? text
        : rich('{text} <soft>until {time}</soft>', {
            text,
            time: <EndTime at={end} />,
            soft: (parts) => <span className="soft small">{parts}</span>,
          })}
    </p>
  )
}
