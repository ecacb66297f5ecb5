import { type RefObject, useEffect } from 'react'
import { markSeen, ReadPolicy, releaseUnread } from '../../../store/messages/mark-read.ts'
import type { Timeline } from '../../../store/messages/timeline.ts'
import { useOrganization } from '../../../store/organization.ts'
import { firstVisibleRow, idOfRow, readingArea, unreadRowsAround } from './rows.ts'
import { useVisitRef, type Visit } from './use-visit.ts'

/**
 * Marks messages as read after their lower edge has been visible in the focused window. This starts at the first
 * visible message, and includes messages that the user has scrolled past.
 */
export function useMarkAsRead(props: {
  visit: Visit
  list: RefObject<HTMLElement | null>
  timeline: Timeline | undefined
  isOn: boolean
  /** True if the narrow is a single conversation. */
  isConversation: boolean
}): void {
  const { visit, list, timeline, isOn, isConversation } = props
  const { web_mark_read_on_scroll_policy: policy } = useOrganization().user_settings
  const isWanted = policy === ReadPolicy.always || (policy === ReadPolicy.conversations && isConversation)
  const from = useVisitRef(visit, Number.POSITIVE_INFINITY)
  useEffect(() => releaseUnread, [visit])
  useEffect(() => {
    if (!isOn || !isWanted || timeline === undefined) return
    const unread = timeline.messages.filter(({ flags }) => !flags.includes('read'))
    const unreadIds = new Set(unread.map(({ id }) => id))
    const look = () => {
      if (list.current === null || document.visibilityState !== 'visible' || !document.hasFocus()) return
      const { top, bottom } = readingArea(list.current)
      const first = firstVisibleRow(list.current)
      if (first === null) return
      from.current = Math.min(from.current, idOfRow(first))
      const seen = unreadRowsAround(first, from.current, bottom, unreadIds).filter((row) => {
        const box = row.getBoundingClientRect()
        // A message that is taller than the window counts as read when it fills it.
        return box.bottom <= bottom + 1 || (box.top <= top && box.bottom > top)
      })
      markSeen(seen.map(idOfRow))
    }
    let frame = requestAnimationFrame(look)
    const later = () => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(look)
    }
    const { current } = list
    current?.addEventListener('scroll', later, { passive: true })
    addEventListener('focus', later)
    document.addEventListener('visibilitychange', later)
    return () => {
      cancelAnimationFrame(frame)
      current?.removeEventListener('scroll', later)
      removeEventListener('focus', later)
      document.removeEventListener('visibilitychange', later)
    }
  }, [list, timeline, isOn, isWanted, from])
}
