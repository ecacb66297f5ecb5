import { type ReactNode, useState } from 'react'
import { PersonButton } from '../../people/cards.tsx'
import { useOrganization } from '../../store/organization.ts'
import { namesakeDetail, unknownName, usePeople } from '../../store/people.ts'
import { t } from '../../text/t.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { ShowMore } from '../../ui/button.tsx'
import { CardPopover } from '../../ui/card-popover.tsx'
import * as css from './widget.module.css'

/** The maximum number of voters that are listed at first. */
const SHOWN = 50

/** All users who voted for an option of a poll, the user first. Each name opens a card. */
export function PollVoters(props: {
  option: string
  voters: readonly number[]
  trigger: Element
  onClose: () => void
}): ReactNode {
  const { option, voters, trigger, onClose } = props
  const { user_id, realm_users } = useOrganization()
  const find = usePeople()
  const [limit, setLimit] = useState(SHOWN)
  const label = t('Votes for “{option}”', { option })
  const people = [...voters.filter((id) => id === user_id), ...voters.filter((id) => id !== user_id)]
  return (
    <CardPopover label={label} trigger={trigger} onClose={onClose}>
      <div className={css.pollVoterCard}>
        <h2 dir="auto">{label}</h2>
        <ul className={css.pollVoterList}>
          {people.slice(0, limit).map((id) => {
            const person = find(id)
            if (person === undefined) return <li key={id}>{unknownName()}</li>
            const { full_name: name, avatar_url } = person
            const detail = namesakeDetail(person, realm_users)
            return (
              <li key={id}>
                <Avatar id={id} name={name} url={avatar_url} />
                <PersonButton userId={id}>{id === user_id ? t('{name} (you)', { name }) : name}</PersonButton>
                {detail !== null && <span className={css.pollVoterDetail}>{detail}</span>}
              </li>
            )
          })}
        </ul>
        <ShowMore
          shown={Math.min(limit, people.length)}
          all={people.length}
          onMore={() => setLimit((known) => known + SHOWN)}
        />
      </div>
    </CardPopover>
  )
}
