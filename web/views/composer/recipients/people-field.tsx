import X from 'lucide-react/icons/x'
import { type ReactNode, useMemo, useState } from 'react'
import { useOrganization } from '../../../store/organization.ts'
import { messageablePeople, usePeople } from '../../../store/people/people.ts'
import { t } from '../../../text/t.ts'
import { Avatar } from '../../../ui/people/avatar.tsx'
import { BarButton } from '../bar/bar-button.tsx'
import { matchNames } from './match-names.ts'
import { SuggestField } from './suggest-field.tsx'

/** The recipients of a direct message, added by typing their names. */
export function PeopleField(props: {
  people: readonly number[]
  isInvalid: boolean
  onChange: (people: readonly number[]) => void
}): ReactNode {
  const { people, isInvalid, onChange } = props
  const { realm_users } = useOrganization()
  const find = usePeople()
  const all = useMemo(() => messageablePeople({ realm_users }), [realm_users])
  const [typed, setTyped] = useState('')

  const suggest = (text: string) =>
    matchNames(
      all.filter(({ user_id }) => !people.includes(user_id)),
      ({ full_name }) => full_name,
      text,
    ).map((person) => ({
      key: String(person.user_id),
      label: person.full_name,
      icon: <Avatar name={person.full_name} url={person.avatar_url} id={person.user_id} />,
      person,
    }))

  return (
    <span className="recipient recipient-people">
      {people.map((id) => {
        const name = find(id)?.full_name ?? t('Unknown user')
        return (
          <span key={id} className="recipient-person">
            {name}
            <BarButton
              label={t('Remove {name}', { name })}
              Icon={X}
              onPress={() => onChange(people.filter((one) => one !== id))}
            />
          </span>
        )
      })}
      <SuggestField
        label={t('People')}
        name="people"
        value={typed}
        placeholder={people.length === 0 ? t('Add people') : ''}
        isInvalid={isInvalid}
        suggest={suggest}
        onText={setTyped}
        onChoose={({ person }) => {
          setTyped('')
          onChange([...people, person.user_id])
        }}
        onBack={() => onChange(people.slice(0, -1))}
      />
    </span>
  )
}
