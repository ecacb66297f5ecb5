import { Fragment, type ReactNode } from 'react'
import { Role } from '#rules/role.ts'
import { EndTime } from '../scheduling/end-time.tsx'
import {
  type Person,
  type ProfileField,
  useOrganization,
  useOrganizationPart,
  useOwnId,
} from '../store/organization.ts'
import { roleName } from '../store/people.ts'
import { usePresence } from '../store/presence.ts'
import { rich } from '../text/rich.ts'
import { t } from '../text/t.ts'
import { Avatar } from '../ui/avatar.tsx'
import { Badge } from '../ui/badge.tsx'
import { useMinute } from '../ui/moments.ts'
import { botKindName } from './bot-kinds.ts'
import * as css from './cards.module.css'
import { GuestBadge } from './guest-badge.tsx'
import { localTime } from './local-time.ts'
import { StatusEmoji } from './person-icon.tsx'
import { presenceText } from './person-row.ts'
import { displayedValue, type ProfileAnswer } from './profile-fields.ts'
import { PersonLink, ProfileValue } from './profile-value.tsx'

/** A user's picture, name, role, presence and status. */
export function PersonHead({ person, level = 2 }: { person: Person; level?: 1 | 2 }): ReactNode {
  const { user_id, full_name, avatar_url, is_bot, is_active, role } = person
  const isOwn = user_id === useOwnId()
  const presence = usePresence(user_id)
  const Heading = level === 1 ? 'h1' : 'h2'
  return (
    <div className={level === 1 ? `${css.personHead} ${css.personHeadPage}` : css.personHead}>
      <Avatar
        id={user_id}
        name={full_name}
        url={avatar_url}
        presence={is_active && !is_bot ? (presence?.kind ?? null) : null}
      />
      <div>
        <div className={css.personHeadName}>
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
    <p className={css.personHeadStatus}>
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

/** The profile fields of the summary. */
function SummaryFacts({ person }: { person: Person }): ReactNode {
  return useAnswers(person, (field) => field.display_in_profile_summary === true).map(toFact)
}

/** All other profile fields. */
function FurtherFacts({ person }: { person: Person }): ReactNode {
  return useAnswers(person, (field) => field.display_in_profile_summary !== true).map(toFact)
}

type FieldAnswer = { field: ProfileField; answer: ProfileAnswer }

/** Returns the user's answers to the profile fields that are wanted. */
export function useAnswers({ profile_data }: Person, isWanted: (field: ProfileField) => boolean): FieldAnswer[] {
  const { custom_profile_fields, realm_default_external_accounts } = useOrganization(
    'custom_profile_fields',
    'realm_default_external_accounts',
  )
  return custom_profile_fields.filter(isWanted).flatMap((field) => {
    const value = profile_data?.[field.id]
    const hasAnswer = value !== undefined && displayedValue(field, value, realm_default_external_accounts) !== null
    return hasAnswer ? [{ field, answer: value }] : []
  })
}

const toFact = ({ field, answer }: FieldAnswer) => (
  <Fragment key={field.id}>
    <dt>{field.name}</dt>
    <dd>
      <ProfileValue field={field} answer={answer} />
    </dd>
  </Fragment>
)

const dates = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' })

/** The facts about a user. With `isShort`, only the most important facts are shown. */
export function PersonFacts({ person, isShort = false }: { person: Person; isShort?: boolean }): ReactNode {
  const { is_bot, role, timezone, delivery_email, email, bot_type, bot_owner_id, date_joined } = person
  const now = useMinute()
  const time = is_bot ? null : localTime(timezone, now)
  const address = is_bot ? email : delivery_email
  return (
    <dl className={css.personFacts}>
      {!isShort && <Fact name={t('Role')}>{roleName(role)}</Fact>}
      {is_bot && <Fact name={t('Type')}>{botKindName(bot_type)}</Fact>}
      {is_bot && bot_owner_id !== null && (
        <Fact name={t('Owner')}>
          <PersonLink userId={bot_owner_id} />
        </Fact>
      )}
      {time !== null && <Fact name={t('Local time')}>{time}</Fact>}
      {address !== null && (
        <Fact name={t('Email')}>
          <a href={`mailto:${address}`}>{address}</a>
        </Fact>
      )}
      <SummaryFacts person={person} />
      {!isShort && <FurtherFacts person={person} />}
      {!isShort && <Fact name={is_bot ? t('Created') : t('Joined')}>{dates.format(Date.parse(date_joined))}</Fact>}
      {!isShort && <Fact name={t('User ID')}>{person.user_id}</Fact>}
    </dl>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }): ReactNode {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}
