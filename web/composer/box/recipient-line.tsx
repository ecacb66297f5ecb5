import CornerUpRight from 'lucide-react/icons/corner-up-right'
import { type ReactNode, useState } from 'react'
import { flushSync } from 'react-dom'
import { useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import type { Destination } from '../destination.ts'
import { BarButton } from '../editor/bar-button.tsx'
import type { ComposerError, TypedName } from '../errors.ts'
import { ChannelField, PeopleField, TopicField } from './recipient-fields.tsx'
import * as css from './recipients.module.css'

/**
 * Focuses a field of the compose box in an event handler, after the changes of the handler are shown. The next key
 * already belongs to the field.
 */
export function focusRecipientField(name: 'topic' | 'people' | 'text'): void {
  flushSync(() => {})
  document.querySelector<HTMLElement>(`.composer [name="${name}"]`)?.focus()
}

/** The recipients of a message, in one line: a channel and its topic, or people. */
export function RecipientLine(props: {
  destination: Destination
  error: ComposerError | null
  typed: TypedName | null
  onType: (typed: TypedName | null) => void
  onChange: (destination: Destination) => void
  /** Opens the conversation of the recipients; null if the page shows it, or if they are not chosen. */
  onGo: (() => void) | null
}): ReactNode {
  const { destination, error, typed, onType, onChange, onGo } = props
  const { subscriptions } = useOrganization('subscriptions')
  const [typedTopic, noteTypedTopic] = useState<string | null>(null)
  const isInvalid = (field: ComposerError['field']) => error?.field === field

  function toChannel(channelId: number, topic: string) {
    onChange({ kind: 'channel', channelId, topic })
    focusRecipientField(topic === '' ? 'topic' : 'text')
  }

  /**
   * Returns the topic in the channel. If the user chooses another channel, a typed topic is kept. A topic of the page,
   * or one that was chosen from the list, belongs to its channel.
   */
  function topicIn(channelId: number): string {
    if (destination.kind !== 'channel') return ''
    const isKept = destination.channelId === channelId || destination.topic === typedTopic
    return isKept ? destination.topic : ''
  }

  return (
    <div className={css.recipients}>
      {destination.kind === 'channel' ? (
        <>
          <ChannelField
            channelId={destination.channelId}
            isInvalid={isInvalid('channel')}
            typed={typed}
            onType={onType}
            onChoose={(channelId) => toChannel(channelId, topicIn(channelId))}
            onLeave={(channelId) => onChange({ ...destination, channelId, topic: topicIn(channelId) })}
            onPeople={(people) => {
              onChange({ kind: 'direct', people })
              focusRecipientField('people')
            }}
          />
          <span aria-hidden="true">›</span>
          <TopicField
            channel={subscriptions.find(({ stream_id }) => stream_id === destination.channelId)}
            topic={destination.topic}
            isInvalid={isInvalid('topic')}
            onType={(topic) => {
              noteTypedTopic(topic)
              onChange({ ...destination, topic })
            }}
            onChoose={(topic) => {
              noteTypedTopic(null)
              onChange({ ...destination, topic })
              focusRecipientField('text')
            }}
            onEnter={() => focusRecipientField('text')}
          />
        </>
      ) : (
        <PeopleField
          people={destination.people}
          isInvalid={isInvalid('people')}
          typed={typed}
          onType={onType}
          onChange={(people) => {
            onChange({ kind: 'direct', people })
            // The button that removes a person disappears with them.
            focusRecipientField('people')
          }}
          onLeave={(people) => onChange({ kind: 'direct', people })}
          onChannel={(channelId) => toChannel(channelId, '')}
          onDone={() => focusRecipientField('text')}
        />
      )}
      {onGo !== null && (
        <span className={css.recipientsGo}>
          <BarButton
            label={t('Go to conversation')}
            keys={t('Ctrl+.')}
            Icon={CornerUpRight}
            excludeFromTabOrder
            onPress={onGo}
          />
        </span>
      )}
    </div>
  )
}
