import { useQuery } from '@tanstack/react-query'
import AtSign from 'lucide-react/icons/at-sign'
import X from 'lucide-react/icons/x'
import { type ReactNode, useState } from 'react'
import { channelTopics } from '../../messages/topics.ts'
import {
  type Organization,
  type Person,
  type Subscription,
  useOrganization,
  useOrganizationPart,
} from '../../store/organization.ts'
import {
  distinctName,
  messageablePeople,
  namesakeDetail,
  unknownName,
  usePeople,
  withOwnLast,
} from '../../store/people.ts'
import { useMorePeople } from '../../store/people-on-demand.ts'
import { t } from '../../text/t.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { ChannelSign, type Suggestion } from '../completion/suggestion-list.tsx'
import { BarButton } from '../editor/bar-button.tsx'
import type { TypedName } from '../errors.ts'
import { matchNames } from '../match-names.ts'
import * as css from './recipients.module.css'
import { SuggestField } from './suggest-field.tsx'

/** A channel or a person that the user can choose as a recipient. */
type RecipientChoice = Suggestion & ({ readonly channelId: number } | { readonly userId: number })

/**
 * Returns the people and channels whose name contains the text, and the people whose email address starts with it. `#`
 * and `@` at its start ask for channels or people only. People in `chosen` are left out. The user comes last.
 */
function recipientChoices(
  organization: Pick<Organization, 'realm_users' | 'subscriptions' | 'user_id'>,
  typed: string,
  { chosen = [], hasChannels }: { chosen?: readonly number[]; hasChannels: boolean },
): RecipientChoice[] {
  const [, sign = '', text = ''] = /^([#@]?)(.*)$/s.exec(typed.trimStart())!
  const wantsChannels = hasChannels && sign !== '@'
  const people = sign === '#' ? [] : messageablePeople(organization).filter(({ user_id }) => !chosen.includes(user_id))
  const channels = wantsChannels ? organization.subscriptions.filter(({ is_archived }) => !is_archived) : []
  const found = matchNames<Person | Subscription>([...people, ...channels], textsOf, text)
  return withOwnLast(found, organization.user_id).map((one) =>
    'user_id' in one ? toPersonChoice(one, organization) : toChannelChoice(one),
  )
}

/** Returns the name in typed text. Names of channels are not names of people. */
const withoutSign = (typed: string): string => (typed.startsWith('#') ? '' : typed.replace(/^@/, ''))

const textsOf = (one: Person | Subscription): readonly string[] =>
  'user_id' in one ? [one.full_name, ...(one.delivery_email === null ? [] : [one.delivery_email])] : [one.name]

function toPersonChoice(
  person: Person,
  { realm_users, user_id: ownId }: Pick<Organization, 'realm_users' | 'user_id'>,
): RecipientChoice {
  const { user_id, full_name, avatar_url } = person
  const detail = person.delivery_email ?? namesakeDetail(person, realm_users)
  return {
    key: `person ${user_id}`,
    label: user_id === ownId ? t('{name} (you)', { name: full_name }) : full_name,
    ...(detail && { detail }),
    icon: <Avatar name={full_name} url={avatar_url} id={user_id} />,
    userId: user_id,
  }
}

const toChannelChoice = (channel: Subscription): RecipientChoice => ({
  key: `channel ${channel.stream_id}`,
  label: channel.name,
  icon: <ChannelSign channel={channel} />,
  channelId: channel.stream_id,
})

/** The channel of a message, chosen by typing its name. People can be chosen instead, for a direct message. */
export function ChannelField(props: {
  channelId: number | null
  isInvalid: boolean
  typed: TypedName | null
  onType: (typed: TypedName | null) => void
  onChoose: (channelId: number) => void
  /** Called when the user leaves the field with the name of another channel in it. */
  onLeave: (channelId: number) => void
  /** Turns the message into a direct message. */
  onPeople: (people: readonly number[]) => void
}): ReactNode {
  const { channelId, isInvalid, onType, onChoose, onLeave, onPeople } = props
  const organization = useOrganization('realm_users', 'subscriptions', 'user_id')
  const { subscriptions } = organization
  const chosen = subscriptions.find(({ stream_id }) => stream_id === channelId)
  const typed = props.typed?.text ?? null
  useMorePeople(withoutSign(typed ?? ''))
  const direct: Suggestion = { key: 'direct', label: t('Direct message'), icon: <AtSign className="icon" /> }
  const suggest = (): readonly (Suggestion | RecipientChoice)[] => [
    ...recipientChoices(organization, typed ?? '#', { hasChannels: true }),
    ...(typed === null ? [direct] : []),
  ]

  return (
    <span className={css.recipient} style={signColor(chosen)}>
      {chosen !== undefined && <ChannelSign channel={chosen} />}
      <SuggestField
        label={t('Channel')}
        name="channel"
        value={typed ?? chosen?.name ?? ''}
        isTyped={typed !== null && typed.trim() !== ''}
        currentKey={`channel ${channelId}`}
        placeholder={t('Channel')}
        isInvalid={isInvalid}
        noMatches={t('No matches')}
        suggest={suggest}
        onText={(text) => onType({ text, isLeft: false })}
        onChoose={(choice) => {
          onType(null)
          if ('channelId' in choice) onChoose(choice.channelId)
          else onPeople('userId' in choice ? [choice.userId] : [])
        }}
        onBlur={() => {
          if (typed === null) return
          const plain = typed.trim().toLowerCase()
          const exact = subscriptions.find(({ name, is_archived }) => !is_archived && name.toLowerCase() === plain)
          if (exact !== undefined && exact.stream_id !== channelId) onLeave(exact.stream_id)
          onType(plain === '' || exact !== undefined ? null : { text: typed, isLeft: true })
        }}
      />
    </span>
  )
}

/** Returns a style with the channel's color, because the style sheets do not know it. */
const signColor = (channel: Subscription | undefined) =>
  channel === undefined ? undefined : ({ '--channel': channel.color } as object)

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
  const organization = useOrganization('realm_users', 'subscriptions', 'user_id')
  const find = usePeople()
  const typed = props.typed?.text ?? ''
  useMorePeople(withoutSign(typed))
  const isEmpty = people.length === 0
  const suggest = (text: string) => recipientChoices(organization, text, { chosen: people, hasChannels: isEmpty })

  return (
    <span className={`${css.recipient} ${css.recipientPeople}`}>
      <span aria-hidden="true">{t('To:')}</span>
      {people.map((id) => {
        const person = find(id)
        const name = person === undefined ? unknownName() : distinctName(person, organization.realm_users)
        return (
          <span key={id} className={css.recipientPerson}>
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

/** The topic of a message: a new name, or one of the channel's topics. */
export function TopicField(props: {
  channel: Subscription | undefined
  topic: string
  isInvalid: boolean
  /** Called with the text that the user has typed. */
  onType: (topic: string) => void
  /** Called when the user chooses one of the channel's topics from the list. */
  onChoose: (topic: string) => void
  /** Handles Enter if no topic is chosen from the list. */
  onEnter: () => void
}): ReactNode {
  const { channel, topic, isInvalid, onType, onChoose, onEnter } = props
  const [wasUsed, use] = useState(false)
  const { data: topics = [] } = useQuery({
    ...channelTopics(channel?.stream_id ?? 0),
    enabled: wasUsed && channel !== undefined,
  })
  const [typed, setTyped] = useState('')
  const existing = topics.find(({ name }) => name.toLowerCase() === topic.trim().toLowerCase())?.name ?? topic
  const isRequired = useOrganizationPart(({ realm_mandatory_topics }) => realm_mandatory_topics)

  const suggest = () =>
    matchNames(
      topics.filter(({ name }) => name !== ''),
      ({ name }) => [name],
      typed,
    ).map(({ name }) => ({ key: name, label: name }))

  return (
    <SuggestField
      label={t('Topic')}
      name="topic"
      value={topic}
      isTyped={typed.trim() !== ''}
      currentKey={existing}
      isFree
      placeholder={isRequired ? t('Topic') : t('Topic (general chat)')}
      isInvalid={isInvalid}
      suggest={suggest}
      onFocus={() => use(true)}
      onText={(text) => {
        setTyped(text)
        onType(text)
      }}
      onBlur={() => {
        // Topics are the same topic if they differ only in case, so the existing spelling is shown.
        if (typed !== '' && existing !== topic) onType(existing)
        setTyped('')
      }}
      onEnter={onEnter}
      onChoose={({ label }) => {
        setTyped('')
        onChoose(label)
      }}
    />
  )
}
