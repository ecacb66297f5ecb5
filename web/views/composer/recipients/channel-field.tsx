import { type ReactNode, useState } from 'react'
import { type Subscription, useOrganization } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { ChannelSign } from '../completion/channel-sign.tsx'
import { matchNames } from './match-names.ts'
import { SuggestField } from './suggest-field.tsx'

/** The channel of a message, chosen by typing its name. */
export function ChannelField(props: {
  channelId: number | null
  isInvalid: boolean
  onChange: (channelId: number) => void
}): ReactNode {
  const { channelId, isInvalid, onChange } = props
  const { subscriptions } = useOrganization()
  const chosen = subscriptions.find(({ stream_id }) => stream_id === channelId)
  const [typed, setTyped] = useState<string | null>(null)
  const open = subscriptions.filter(({ is_archived }) => !is_archived)

  const suggest = () =>
    matchNames(open, ({ name }) => name, typed ?? '').map((channel) => ({
      key: String(channel.stream_id),
      label: channel.name,
      icon: <ChannelSign channel={channel} />,
      channel,
    }))

  return (
    <span className="recipient" style={signColor(chosen)}>
      {chosen !== undefined && <ChannelSign channel={chosen} />}
      <SuggestField
        label={t('Channel')}
        name="channel"
        value={typed ?? chosen?.name ?? ''}
        placeholder={t('Channel')}
        isInvalid={isInvalid}
        suggest={suggest}
        onText={setTyped}
        onChoose={({ channel }) => {
          setTyped(null)
          onChange(channel.stream_id)
        }}
        onBlur={() => {
          const exact = open.find(({ name }) => name.toLowerCase() === typed?.trim().toLowerCase())
          if (exact !== undefined) onChange(exact.stream_id)
          setTyped(null)
        }}
      />
    </span>
  )
}

/** Returns a style with the channel's color, because the style sheets do not know it. */
const signColor = (channel: Subscription | undefined) =>
  channel === undefined ? undefined : ({ '--channel': channel.color } as object)
