import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import AtSign from 'lucide-react/icons/at-sign'
import BriefcaseBusiness from 'lucide-react/icons/briefcase-business'
import CalendarDays from 'lucide-react/icons/calendar-days'
import CircleUser from 'lucide-react/icons/circle-user'
import Clock from 'lucide-react/icons/clock'
import Hash from 'lucide-react/icons/hash'
import Mail from 'lucide-react/icons/mail'
import MessageSquare from 'lucide-react/icons/message-square'
import Pencil from 'lucide-react/icons/pencil'
import Smile from 'lucide-react/icons/smile'
import { type ComponentType, Fragment, type ReactNode, type SVGProps, useEffect, useState } from 'react'
import { canInsert, requestInsertion } from '../browser/compose-requests.ts'
import { type Person, useOrganization, useOwnId, usePerson } from '../store/organization.ts'
import { useIsUnfetched } from '../store/people-on-demand.ts'
import { channelsWithPeople } from '../store/subscribers.ts'
import { t } from '../text/t.ts'
import { avatarHue } from '../ui/avatar.tsx'
import { Button } from '../ui/button.tsx'
import { CardPopover } from '../ui/card-popover.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import { useMinute } from '../ui/moments.ts'
import { RowMenu } from '../ui/row-menu.tsx'
import * as css from './cards.module.css'
import { hoursAhead, localTime } from './local-time.ts'
import { useMention } from './mentions.ts'
import { PersonFacts, PersonHead, useAnswers } from './person-facts.tsx'
import { ProfileValue } from './profile-value.tsx'
import { type Managing, usePersonActions } from './use-person-actions.ts'

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
    <ul className={css.cardFacts}>
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
      {isOther && organization.user_list_incomplete !== true && organization.realm_users.length <= MAX_PEOPLE && (
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

const StatusDialog = lazyPart(async () => (await import('./status-dialog.tsx')).StatusDialog)
const ManageDialog = lazyPart(async () => (await import('./manage-dialog.tsx')).ManageDialog)

/** A dialog that opens from the card and replaces it. */
type Opened = 'status' | Managing

/**
 * A user's card with presence, status, the most important facts, and actions. It closes when the account is no longer
 * visible.
 */
export function PersonCard(props: { userId: number; trigger: Element; onClose: () => void }): ReactNode {
  const { userId, trigger, onClose } = props
  const person = usePerson(userId)
  const [opened, open] = useState<Opened | null>(null)
  const isUnfetched = useIsUnfetched(userId)
  useEffect(() => {
    if (person === undefined && !isUnfetched) onClose()
  }, [person, isUnfetched, onClose])
  if (person === undefined) return null
  if (opened === 'status') return <StatusDialog onClose={onClose} />
  if (opened !== null) return <ManageDialog person={person} act={opened} onClose={onClose} />
  return (
    <CardPopover label={person.full_name} trigger={trigger} onClose={onClose}>
      <div className={css.personCardBand} data-hue={avatarHue(person.user_id)} />
      <div className={`${css.cardContent} ${css.personCard}`}>
        <PersonHead person={person} />
        {person.is_bot ? <PersonFacts person={person} isShort /> : <CardFacts person={person} onLeave={onClose} />}
        <Actions person={person} onOpen={open} onLeave={onClose} />
      </div>
    </CardPopover>
  )
}

function Actions(props: { person: Person; onOpen: (opened: Opened) => void; onLeave: () => void }): ReactNode {
  const { person, onOpen, onLeave } = props
  const { user_id, is_active } = person
  const isOwn = user_id === useOwnId()
  const mention = useMention(person)
  const actions = usePersonActions(person, { onManage: onOpen, onLeave })
  return (
    <div className={css.cardActions}>
      {isOwn ? (
        <Button kind="primary" icon={<Smile className="icon" aria-hidden="true" />} onPress={() => onOpen('status')}>
          {t('Set status')}
        </Button>
      ) : (
        is_active && (
          <Link
            to="/dm/$people"
            params={{ people: String(user_id) }}
            className="button button-primary"
            onClick={onLeave}
          >
            <MessageSquare className="icon" aria-hidden="true" />
            {t('Message')}
          </Link>
        )
      )}
      {!isOwn && is_active && canInsert() && (
        <Button
          icon={<AtSign className="icon" aria-hidden="true" />}
          onPress={() => {
            onLeave()
            // The focus returns to the trigger when the card closes.
            requestAnimationFrame(() => requestInsertion(mention))
          }}
        >
          {t('Mention')}
        </Button>
      )}
      <span className={css.cardActionsEnd}>
        {isOwn && (
          <Link
            {...iconLink(t('Message yourself'))}
            to="/dm/$people"
            params={{ people: String(user_id) }}
            onClick={onLeave}
          >
            <MessageSquare className="icon" aria-hidden="true" />
          </Link>
        )}
        <Link
          {...iconLink(t('View profile'))}
          to="/people/$userId"
          params={{ userId: String(user_id) }}
          onClick={onLeave}
        >
          <CircleUser className="icon" aria-hidden="true" />
        </Link>
        {isOwn ? (
          <Link
            {...iconLink(t('Edit profile'))}
            to="/settings/$section"
            params={{ section: 'profile' }}
            onClick={onLeave}
          >
            <Pencil className="icon" aria-hidden="true" />
          </Link>
        ) : (
          <RowMenu label={t('More actions for {name}', { name: person.full_name })} items={actions} />
        )}
      </span>
    </div>
  )
}

const iconLink = (label: string) => ({
  className: 'button button-quiet button-round',
  'aria-label': label,
  title: label,
})
