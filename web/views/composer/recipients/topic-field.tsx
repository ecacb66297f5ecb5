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
