import type { ReactNode } from 'react'
import { useOrganization } from '../../../store/organization.ts'
import { useConversationName } from '../../../store/people.ts'
import { useCurrentNarrow } from '../current-narrow.ts'
import { TopicName } from '../topic-name.tsx'

/** The conversation that one reads, in a few words; nothing where it is none. */
export function PlaceName(): ReactNode {
  const narrow = useCurrentNarrow()
  const nameOf = useConversationName()
  const { subscriptions } = useOrganization()
  if (narrow?.kind === 'direct') return nameOf(narrow.people)
  if (narrow?.kind !== 'channel' && narrow?.kind !== 'topic') return null
  const channel = subscriptions.find(({ stream_id }) => stream_id === narrow.channelId)?.name
  if (narrow.kind === 'channel' || channel === undefined) return channel
  return (
    <>
      {channel} › <TopicName topic={narrow.topic} />
    </>
  )
}
