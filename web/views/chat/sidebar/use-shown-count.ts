import type { Count, UnreadCounts } from '../../../store/messages/unread.ts'
import { unreadCounts } from '../../../store/messages/unread-messages.ts'
import type { Subscription } from '../../../store/organization.ts'

/**
 * `web_stream_unreads_count_display_policy` of the API: the channels that show how many of their messages are unread.
 */
const CountPolicy = { all: 1, unmuted: 2, none: 3 } as const

/** An unread count, of which the sidebar may show only that there is one, and how many messages mention the user. */
type ShownCount = Count & { readonly isHidden?: true }

/**
 * Returns the unread count of a channel for the sidebar; undefined if nothing is unread, or if the channel is muted and
 * shows no count. Mentions are always shown. Other channels without a count get a dot.
 */
export const useShownCount = (channel: Subscription, policy: number): ShownCount | undefined =>
  unreadCounts.usePart((counts) => shownCount(counts, channel, policy), isSameCount)

function shownCount(
  { channels, muted }: UnreadCounts,
  { stream_id, is_muted }: Subscription,
  policy: number,
): ShownCount | undefined {
  const count = channels.get(stream_id)
  const isCounted = policy === CountPolicy.all || (policy === CountPolicy.unmuted && !is_muted)
  if (!isCounted) {
    if (count === undefined || (is_muted && count.mentions === 0)) return undefined
    return { ...count, isHidden: true }
  }
  const leftOut = policy === CountPolicy.all ? (muted.get(stream_id) ?? 0) : 0
  if (leftOut === 0) return count
  return { messages: (count?.messages ?? 0) + leftOut, mentions: count?.mentions ?? 0 }
}

const isSameCount = (one: ShownCount | undefined, other: ShownCount | undefined): boolean =>
  one === other ||
  (one !== undefined &&
    other !== undefined &&
    one.messages === other.messages &&
    one.mentions === other.mentions &&
    one.isHidden === other.isHidden)
