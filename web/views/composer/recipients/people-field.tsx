import X from 'lucide-react/icons/x'
import { type ReactNode, useState } from 'react'
import { useOrganization } from '../../../store/organization.ts'
import { usePeople } from '../../../store/people/people.ts'
import { t } from '../../../text/t.ts'
import { Avatar } from '../../../ui/people/avatar.tsx'
import { BarButton } from '../bar/bar-button.tsx'
import { recipientChoices } from './recipient-choices.tsx'
import { SuggestField } from './suggest-field.tsx'

/** The recipients of a direct message, added by typing their names. Until there is one, a channel can be chosen, too. */
export function PeopleField(props: {
  people: readonly number[]
  isInvalid: boolean
  onChange: (people: readonly number[]) => void
  onChannel: (channelId: number) => void
  /** Handles Enter in the empty field. */
  onDone: () => void
}): ReactNode {
  const { people, isInvalid, onChange, onChannel, onDone } = props
  const organization = useOrganization()
  const find = usePeople()
  const [typed, setTyped] = useState('')
  const isEmpty = people.length === 0
  const suggest = (text: string) => recipientChoices(organization, text, { chosen: people, hasChannels: isEmpty })

  return (
    <span className="recipient recipient-people">
      <span aria-hidden="true">{t('To:')}</span>
      {people.map((id) => {
        const person = find(id)
        const name = person?.full_name ?? t('Unknown user')
        return (
          <span key={id} className="recipient-person">
            {person !== undefined && <Avatar name={name} url={person.avatar_url} id={id} />}
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
        label={t('To')}
        name="people"
        value={typed}
        isTyped={typed.trim() !== ''}
        placeholder={isEmpty ? t('Person or channel') : ''}
        isInvalid={isInvalid}
        noMatches={t('No matches')}
        suggest={suggest}
        onText={setTyped}
        onChoose={(choice) => {
          setTyped('')
          if ('userId' in choice) onChange([...people, choice.userId])
          else onChannel(choice.channelId)
        }}
        onBack={() => !isEmpty && onChange(people.slice(0, -1))}
        onEnter={() => typed === '' && !isEmpty && onDone()}
      />
    </span>
  )
}
