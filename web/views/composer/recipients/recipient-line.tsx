import AtSign from 'lucide-react/icons/at-sign'
import Hash from 'lucide-react/icons/hash'
import type { ReactNode } from 'react'
import { useOrganization } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { BarButton } from '../bar/bar-button.tsx'
import type { ComposerError } from '../composer-error.ts'
import type { ComposerPage, Destination } from '../destination.ts'
import { ChannelField } from './channel-field.tsx'
import { focusRecipientField } from './focus-recipient-field.ts'
import { PeopleField } from './people-field.tsx'
import './recipients.css'
import { TopicField } from './topic-field.tsx'

/** The recipients of a message, in one line: a channel and its topic, or people. */
export function RecipientLine(props: {
  page: ComposerPage
  destination: Destination
  error: ComposerError | null
  onChange: (destination: Destination) => void
}): ReactNode {
  const { page, destination, error, onChange } = props
  const { subscriptions } = useOrganization()
  // The header names the people of a direct conversation.
  if (page.kind === 'direct') return null
  const isInvalid = (field: ComposerError['field']) => error?.field === field

  return (
    <div className="recipients">
      {destination.kind === 'channel' ? (
        <>
          <ChannelField
            channelId={destination.channelId}
            isInvalid={isInvalid('channel')}
            onChange={(channelId) => {
              onChange({ ...destination, channelId })
              focusRecipientField(destination.topic === '' ? 'topic' : 'text')
            }}
          />
          <span aria-hidden="true">›</span>
          <TopicField
            channel={subscriptions.find(({ stream_id }) => stream_id === destination.channelId)}
            topic={destination.topic}
            isInvalid={isInvalid('topic')}
            onChange={(topic) => onChange({ ...destination, topic })}
            onChosen={() => focusRecipientField('text')}
          />
        </>
      ) : (
        <PeopleField
          people={destination.people}
          isInvalid={isInvalid('people')}
          onChange={(people) => onChange({ kind: 'direct', people })}
        />
      )}
      {page.kind === 'any' && (
        <span className="recipients-kind">
          <BarButton
            label={t('Channel message')}
            Icon={Hash}
            aria-pressed={destination.kind === 'channel'}
            onPress={() => {
              onChange({ kind: 'channel', channelId: null, topic: '' })
              focusRecipientField('channel')
            }}
          />
          <BarButton
            label={t('Direct message')}
            Icon={AtSign}
            aria-pressed={destination.kind === 'direct'}
            onPress={() => {
              onChange({ kind: 'direct', people: [] })
              focusRecipientField('people')
            }}
          />
        </span>
      )}
    </div>
  )
}
