import { useRef } from 'react'
import type { Opening } from '../../../store/messages/messages.ts'
import type { Timeline } from '../../../store/messages/timeline.ts'

/**
 * The first message that was not read when the timeline was opened; it stays the same while one reads. Null for none, and
 * where one asked for what is newest.
 */
export function useFirstUnread(timeline: Timeline | undefined, opening: Opening): number | null {
  const first = useRef<number | null>(undefined)
  if (first.current === undefined && timeline !== undefined)
    first.current = timeline.messages.find(({ flags }) => !flags.includes('read'))?.id ?? null
  return opening === 'newest' ? null : (first.current ?? null)
}
