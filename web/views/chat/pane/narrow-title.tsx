import type { ReactNode } from 'react'
import { useOrganization } from '../../../store/organization.ts'
import { useConversationName } from '../../../store/people/people.ts'
import { t } from '../../../text/t.ts'
import { useCurrentNarrow } from '../current-narrow.ts'
import { TopicName } from '../topic-name.tsx'

const FEEDS = { combined: t('Combined'), mentions: t('Mentions'), starred: t('Starred') }

/** The short title of the current narrow; nothing if the page's title stays visible. */
export function NarrowTitle(): ReactNode {
  const narrow = useCurrentNarrow()
  const nameOf = useConversationName()
  const { subscriptions } = useOrganization()
  if (narrow?.kind === 'direct') return nameOf(narrow.people)
  if (narrow?.kind === 'combined' || narrow?.kind === 'mentions' || narrow?.kind === 'starred')
    return FEEDS[narrow.kind]
  if (narrow?.kind !== 'channel' && narrow?.kind !== 'topic') return null
  const channel = subscriptions.find(({ stream_id }) => stream_id === narrow.channelId)?.name
  if (narrow.kind === 'channel' || channel === undefined) return channel
  return (
    <>
      {channel} › <TopicName topic={narrow.topic} />
    </>
  )
}
