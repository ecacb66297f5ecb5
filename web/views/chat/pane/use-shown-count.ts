import type { Count } from '../../../store/messages/unread.ts'
import { useChannelUnreadCount, useMutedUnreadCount } from '../../../store/messages/unread-messages.ts'
import { type Subscription, useOrganizationPart } from '../../../store/organization.ts'

/** `web_stream_unreads_count_display_policy` of the API: the channels that show how many of their messages are unread. */
const CountPolicy = { all: 1, unmuted: 2, none: 3 } as const

/** Returns the unread count that the sidebar shows for a channel. Mentions are always counted. */
export function useShownCount({ stream_id, is_muted }: Subscription): Count | undefined {
  const policy = useOrganizationPart((known) => known.user_settings.web_stream_unreads_count_display_policy)
  const count = useChannelUnreadCount(stream_id)
  const muted = useMutedUnreadCount(stream_id)
  const isCounted = policy === CountPolicy.all || (policy === CountPolicy.unmuted && !is_muted)
  if (!isCounted) return count === undefined || count.mentions === 0 ? undefined : count
  if (policy !== CountPolicy.all || muted === 0) return count
  return { messages: (count?.messages ?? 0) + muted, mentions: count?.mentions ?? 0 }
}
