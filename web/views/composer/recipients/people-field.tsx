import X from 'lucide-react/icons/x'
import type { ReactNode } from 'react'
import { useOrganization } from '../../../store/organization.ts'
import { distinctName, messageablePeople, usePeople } from '../../../store/people/people.ts'
import { t } from '../../../text/t.ts'
import { Avatar } from '../../../ui/people/avatar.tsx'
import { BarButton } from '../bar/bar-button.tsx'
import type { TypedName } from '../find-error.ts'
import { recipientChoices } from './recipient-choices.tsx'
import { SuggestField } from './suggest-field.tsx'

/** The recipients of a direct message, added by typing their names. Until there is one, a channel can be chosen, too. */
export function PeopleField(props: {
  people: readonly number[]
  isInvalid: boolean
  typed: TypedName | null
  onType: (typed: TypedName | null) => void
  onChange: (people: readonly number[]) => void
  /** Called when the user leaves the field with the name of another person in it. */
  onLeave: (people: readonly number[]) => void
  onChannel: (channelId: number) => void
  /** Handles Enter in the empty field. */
  onDone: () => void
}): ReactNode {
  const { people, isInvalid, onType, onChange, onLeave, onChannel, onDone } = props
  const organization = useOrganization()
  const find = usePeople()
  const typed = props.typed?.text ?? ''
  const isEmpty = people.length === 0
  const suggest = (text: string) => recipientChoices(organization, text, { chosen: people, hasChannels: isEmpty })

  return (
    <span className="recipient recipient-people">
      <span aria-hidden="true">{t('To:')}</span>
      {people.map((id) => {
        const person = find(id)
        const name = person === undefined ? t('Unknown user') : distinctName(person, organization.realm_users)
        return (
          <span key={id} className="recipient-person">
            {person !== undefined && <Avatar name={person.full_name} url={person.avatar_url} id={id} />}
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
        onText={(text) => onType(text === '' ? null : { text, isLeft: false })}
        onChoose={(choice) => {
          onType(null)
          if ('userId' in choice) onChange([...people, choice.userId])
          else onChannel(choice.channelId)
        }}
        onBlur={() => {
          const plain = typed.trim().toLowerCase()
          if (typed === '') return
          const named = messageablePeople(organization).filter(
            ({ full_name, delivery_email }) =>
              full_name.toLowerCase() === plain || delivery_email?.toLowerCase() === plain,
          )
          const [one] = named
          const isClear = one !== undefined && named.length === 1
          if (isClear && !people.includes(one.user_id)) onLeave([...people, one.user_id])
          onType(plain === '' || isClear ? null : { text: typed, isLeft: true })
        }}
        onBack={() => !isEmpty && onChange(people.slice(0, -1))}
        onEnter={() => typed === '' && !isEmpty && onDone()}
      />
    </span>
  )
}
