import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { channelTopics } from '../../../store/messages/topics.ts'
import { type Subscription, useOrganizationPart } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { matchNames } from './match-names.ts'
import { SuggestField } from './suggest-field.tsx'

/** The topic of a message: a new name, or one of the channel's topics. */
export function TopicField(props: {
  channel: Subscription | undefined
  topic: string
  isInvalid: boolean
  onChange: (topic: string) => void
  onChosen: () => void
}): ReactNode {
  const { channel, topic, isInvalid, onChange, onChosen } = props
  const [wasUsed, use] = useState(false)
  const { data: topics = [] } = useQuery({
    ...channelTopics(channel?.stream_id ?? 0),
    enabled: wasUsed && channel !== undefined,
  })
  const [typed, setTyped] = useState('')
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
      currentKey={topic}
      placeholder={isRequired ? t('Topic') : t('Topic (general chat)')}
      isInvalid={isInvalid}
      suggest={suggest}
      onFocus={() => use(true)}
      onText={(text) => {
        setTyped(text)
        onChange(text)
      }}
      onBlur={() => setTyped('')}
      onChoose={({ label }) => {
        setTyped('')
        onChange(label)
        onChosen()
      }}
    />
  )
}
