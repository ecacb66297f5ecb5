import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import MessageSquare from 'lucide-react/icons/message-square'
import type { ReactNode } from 'react'
import { call } from '../../api/call.ts'
import { toAppError } from '../../store/app-error.ts'
import { type Person, useOrganization, usePerson } from '../../store/organization.ts'
import { membersOf } from '../../store/people/membership.ts'
import { useMutedIds } from '../../store/people/muted.ts'
import { usePresences } from '../../store/people/presences.ts'
import { roleName } from '../../store/people/role.ts'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import { ErrorNotice } from '../../ui/feedback/error-notice.tsx'
import { Loading } from '../../ui/feedback/loading.tsx'
import { Avatar } from '../../ui/people/avatar.tsx'
import { PresenceDot } from '../../ui/people/presence-dot.tsx'
import { Badge } from '../../ui/text/badge.tsx'
import { localTime } from './local-time.ts'
import { MutePerson } from './mute-person.tsx'
import { OwnStatus } from './own-status.tsx'
import './person-dialog.css'
import { t } from '../../text/t.ts'
import { presenceText } from './person-row.ts'
import { FurtherFacts, SummaryFacts } from './profile-facts.tsx'
import { StatusEmoji } from './status-emoji.tsx'

/** A user's profile; for the user themselves with the status form. Closes when the account is no longer visible. */
export function PersonDialog({ userId, onClose }: { userId: number; onClose: () => void }): ReactNode {
  const person = usePerson(userId)
  return (
    <Dialog title={person?.full_name ?? ''} isOpen={person !== undefined} onClose={onClose}>
      {person !== undefined && <Card person={person} onLeave={onClose} />}
    </Dialog>
  )
}

function Card({ person, onLeave }: { person: Person; onLeave: () => void }): ReactNode {
  const { user_id } = useOrganization()
  const isOwn = person.user_id === user_id
  const isMuted = useMutedIds().has(person.user_id)
  return (
    <div className="dialog-body person-card">
      <div className="row">
        <Avatar id={person.user_id} name={person.full_name} url={person.avatar_url} />
        <div>
          <PresenceLine person={person} />
          <StatusLine userId={person.user_id} />
        </div>
      </div>
      <Facts person={person} />
      <FurtherFacts person={person} />
      {(person.is_active || isMuted) && (
        <div className="row">
          {person.is_active && (
            <Link to="/dm/$people" params={{ people: String(person.user_id) }} className="button" onClick={onLeave}>
              <MessageSquare className="icon" aria-hidden="true" />
              {isOwn ? t('Message yourself') : t('Send direct message')}
            </Link>
          )}
          {!isOwn && <MutePerson person={person} />}
        </div>
      )}
      {isOwn ? <OwnStatus /> : <CommonChannels userId={person.user_id} onLeave={onLeave} />}
    </div>
  )
}

function PresenceLine({ person }: { person: Person }): ReactNode {
  const { find, now } = usePresences()
  if (!person.is_active) return <Badge kind="warn">{t('Deactivated')}</Badge>
  if (find === null || person.is_bot) return null
  const presence = find(person.user_id)
  const text = presenceText(presence, now)
  return (
    <p className="row person-presence">
      <PresenceDot kind={presence.kind} />
      {text.charAt(0).toUpperCase() + text.slice(1)}
    </p>
  )
}

function StatusLine({ userId }: { userId: number }): ReactNode {
  const status = useOrganization().user_status[userId]
  if (status === undefined) return null
  return (
    <p>
      <StatusEmoji status={status} /> {status.status_text ?? status.emoji_name}
    </p>
  )
}

function Facts({ person }: { person: Person }): ReactNode {
  const { realm_user_groups } = useOrganization()
  const { now } = usePresences()
  const time = person.is_bot ? null : localTime(person.timezone, now)
  const groups = realm_user_groups
    .filter(({ is_system_group, deactivated }) => !is_system_group && !deactivated)
    .filter(({ id }) => membersOf(realm_user_groups, [id]).has(person.user_id))
  return (
    <dl className="person-facts">
      <dt>{t('Role')}</dt>
      <dd>{person.is_bot ? t('Bot') : roleName(person.role)}</dd>
      {time !== null && (
        <>
          <dt>{t('Local time')}</dt>
          <dd>{time}</dd>
        </>
      )}
      {person.delivery_email !== null && (
        <>
          <dt>{t('Email')}</dt>
          <dd>
            <a href={`mailto:${person.delivery_email}`}>{person.delivery_email}</a>
          </dd>
        </>
      )}
      {groups.length > 0 && (
        <>
          <dt>{t('Groups')}</dt>
          <dd>{groups.map(({ name }) => name).join(', ')}</dd>
        </>
      )}
      <SummaryFacts person={person} />
    </dl>
  )
}

/** The channels in common, loaded when the profile opens. */
function CommonChannels({ userId, onLeave }: { userId: number; onLeave: () => void }): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: ['channels-with-people'],
    queryFn: async ({ signal }) =>
      (await call('GET /users/me/subscriptions', { include_subscribers: true }, { signal })).subscriptions,
    staleTime: 0,
    gcTime: 0,
  })
  const common = data?.filter(({ subscribers }) => subscribers?.includes(userId))
  return (
    <section aria-labelledby="common-channels" className="stack">
      <h3 id="common-channels">{t('Channels in common')}</h3>
      {error !== null ? (
        <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
      ) : common === undefined ? (
        <Loading label={t('Loading channels')} lines={1} />
      ) : common.length === 0 ? (
        <p className="soft">{t('None')}</p>
      ) : (
        <ul className="person-channels">
          {common.map(({ stream_id, name }) => (
            <li key={stream_id}>
              <Link to="/channels/$channelId" params={{ channelId: String(stream_id) }} onClick={onLeave}>
                #{name}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
