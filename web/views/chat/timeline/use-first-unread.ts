import { useRef } from 'react'
import type { Opening } from '../../../store/messages/messages.ts'
import type { Timeline } from '../../../store/messages/timeline.ts'

/**
 * Returns the id of the first message that was unread when the timeline was opened. It stays the same while the user
 * reads. Returns null if there was none, or if the timeline opened at the newest message.
 */
export function useFirstUnread(timeline: Timeline | undefined, opening: Opening): number | null {
  const first = useRef<number | null>(undefined)
  if (first.current === undefined && timeline !== undefined)
    first.current = timeline.messages.find(({ flags }) => !flags.includes('read'))?.id ?? null
  return opening === 'newest' ? null : (first.current ?? null)
}
