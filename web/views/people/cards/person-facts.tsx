import type { ReactNode } from 'react'
import type { Person } from '../../../store/organization.ts'
import { roleName } from '../../../store/people/role.ts'
import { t } from '../../../text/t.ts'
import { useMinute } from '../../../ui/time/time.tsx'
import { botKindName } from '../../settings/bots/bot-kinds.ts'
import { localTime } from '../local-time.ts'
import { PersonLink } from '../person-link.tsx'
import { FurtherFacts, SummaryFacts } from '../profile-facts.tsx'

const dates = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' })

/** The facts about a user. With `isShort`, only the most important facts are shown. */
export function PersonFacts({ person, isShort = false }: { person: Person; isShort?: boolean }): ReactNode {
  const { is_bot, role, timezone, delivery_email, email, bot_type, bot_owner_id, date_joined } = person
  const now = useMinute()
  const time = is_bot ? null : localTime(timezone, now)
  const address = is_bot ? email : delivery_email
  return (
    <dl className="person-facts">
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
