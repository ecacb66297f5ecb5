import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import BriefcaseBusiness from 'lucide-react/icons/briefcase-business'
import CalendarDays from 'lucide-react/icons/calendar-days'
import Clock from 'lucide-react/icons/clock'
import Hash from 'lucide-react/icons/hash'
import Mail from 'lucide-react/icons/mail'
import { type ComponentType, Fragment, type ReactNode, type SVGProps } from 'react'
import { type Person, useOrganization } from '../../../store/organization.ts'
import { channelsWithPeople } from '../../../store/people/subscribers.ts'
import { t } from '../../../text/t.ts'
import { useMinute } from '../../../ui/time/time.tsx'
import { ProfileValue } from '../../profile-fields/profile-value.tsx'
import { hoursAhead, localTime } from '../local-time.ts'
import { useAnswers } from '../profile-facts.tsx'

/** The maximum number of people in an organization for which the card loads the channels in common. */
const MAX_PEOPLE = 1000

/** The maximum number of channels in common that the card names. */
const NAMED = 3

const dates = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' })

/** The most important facts about a person, one line each. */
export function CardFacts({ person, onLeave }: { person: Person; onLeave: () => void }): ReactNode {
  const { user_id, timezone, delivery_email, date_joined, is_active } = person
  const organization = useOrganization()
  const time = useThereTime(timezone)
  const summary = useAnswers(person, (field) => field.display_in_profile_summary === true)
  const isOther = user_id !== organization.user_id
  return (
    <ul className="card-facts">
      {time !== null && is_active && (
        <Fact icon={Clock} name={t('Local time')}>
          {time}
        </Fact>
      )}
      {delivery_email !== null && (
        <Fact icon={Mail} name={t('Email')}>
          <a href={`mailto:${delivery_email}`}>{delivery_email}</a>
        </Fact>
      )}
      {summary.map(({ field, answer }) => (
        <Fact key={field.id} icon={BriefcaseBusiness} name={field.name}>
          <ProfileValue field={field} answer={answer} />
        </Fact>
      ))}
      {isOther && organization.realm_users.length <= MAX_PEOPLE && (
        <ChannelsInCommon userId={user_id} onLeave={onLeave} />
      )}
      <Fact icon={CalendarDays} name={t('Joined')}>
        {t('Joined {date}', { date: dates.format(Date.parse(date_joined)) })}
      </Fact>
    </ul>
  )
}

/** Returns the person's local time and its difference to the user's own; null if their time zone is unknown. */
function useThereTime(timezone: string): string | null {
  const now = useMinute()
  const time = localTime(timezone, now)
  const hours = hoursAhead(timezone, now)
  if (time === null || hours === null) return null
  if (hours === 0) return t('{time}, the same as yours', { time })
  return hours > 0
    ? t('{time} there, {hours, plural, one {# hour} other {# hours}} ahead', { time, hours })
    : t('{time} there, {hours, plural, one {# hour} other {# hours}} behind', { time, hours: -hours })
}

function ChannelsInCommon({ userId, onLeave }: { userId: number; onLeave: () => void }): ReactNode {
  const { data } = useQuery(channelsWithPeople)
  const common = (data ?? [])
    .filter(({ subscribers }) => subscribers?.includes(userId))
    .sort((one, other) => one.name.localeCompare(other.name))
  if (common.length === 0) return null
  const rest = common.length - NAMED
  return (
    <Fact icon={Hash} name={t('Channels in common')}>
      {common.slice(0, NAMED).map(({ stream_id, name }, at) => (
        <Fragment key={stream_id}>
          {at > 0 && ', '}
          <Link to="/channels/$channelId" params={{ channelId: String(stream_id) }} onClick={onLeave}>
            {name}
          </Link>
        </Fragment>
      ))}{' '}
      {rest > 0 ? t('and {rest} more in common', { rest }) : t('in common')}
    </Fact>
  )
}

function Fact(props: { icon: ComponentType<SVGProps<SVGSVGElement>>; name: string; children: ReactNode }): ReactNode {
  const { icon: Icon, name, children } = props
  return (
    <li>
      <Icon className="icon" role="img" aria-label={t('{name}:', { name })} aria-hidden={undefined} />
      <span>{children}</span>
    </li>
  )
}
