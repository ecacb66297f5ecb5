import AtSign from 'lucide-react/icons/at-sign'
import type { ReactNode } from 'react'
import { type Subscription, useOrganization } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { ChannelSign } from '../completion/channel-sign.tsx'
import type { Suggestion } from '../completion/suggestion.ts'
import type { TypedName } from '../find-error.ts'
import { type RecipientChoice, recipientChoices } from './recipient-choices.tsx'
import { SuggestField } from './suggest-field.tsx'

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
  const organization = useOrganization()
  const { subscriptions } = organization
  const chosen = subscriptions.find(({ stream_id }) => stream_id === channelId)
  const typed = props.typed?.text ?? null
  const direct: Suggestion = { key: 'direct', label: t('Direct message'), icon: <AtSign className="icon" /> }
  const suggest = (): readonly (Suggestion | RecipientChoice)[] => [
    ...recipientChoices(organization, typed ?? '#', { hasChannels: true }),
    ...(typed === null ? [direct] : []),
  ]

  return (
    <span className="recipient" style={signColor(chosen)}>
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
