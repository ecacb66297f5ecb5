import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Narrow } from '../../../store/messages/narrow.ts'
import { useOrganization } from '../../../store/organization.ts'
import { channelSubscribers } from '../../../store/people/subscribers.ts'
import { t } from '../../../text/t.ts'
import { Loading } from '../../../ui/feedback/loading.tsx'
import { PeoplePane } from '../../people/people-pane.tsx'
import { useCurrentNarrow } from '../current-narrow.ts'

/** The people pane, with the participants of the current conversation first. */
// biome-ignore lint/style/noDefaultExport: React's lazy reads it so
export default function PeopleHere(): ReactNode {
  const readers = useReaders(useCurrentNarrow())
  if (readers === 'unknown') return <Loading label={t('Loading people')} lines={4} />
  return <PeoplePane {...(readers !== null && { inConversation: readers })} />
}

/**
 * Returns the ids of the users who can read the narrow. Returns `unknown` while they are loading. Returns null if they
 * can't be loaded, or if the page is neither a direct message conversation nor one of the user's channels.
 */
function useReaders(narrow: Narrow | null): ReadonlySet<number> | 'unknown' | null {
  const { user_id, subscriptions } = useOrganization()
  const isChannel = narrow?.kind === 'channel' || narrow?.kind === 'topic'
  const isRead = isChannel && subscriptions.some(({ stream_id }) => stream_id === narrow.channelId)
  const { data, isError } = useQuery({ ...channelSubscribers(isRead ? narrow.channelId : 0), enabled: isRead })
  if (narrow?.kind === 'direct') return new Set([...narrow.people, user_id])
  if (!isRead || isError) return null
  return data === undefined ? 'unknown' : new Set(data)
}
