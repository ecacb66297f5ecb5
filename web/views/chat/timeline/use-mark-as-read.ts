import { type RefObject, useEffect } from 'react'
import { markSeen, ReadPolicy, releaseUnread } from '../../../store/messages/mark-read.ts'
import type { Timeline } from '../../../store/messages/timeline.ts'
import { useOrganization } from '../../../store/organization.ts'
import { viewOf } from './rows.ts'
import { readIn, SEEN_AFTER, type Sight, withoutFocus, withView } from './sight.ts'
import { useVisitRef, type Visit } from './use-visit.ts'

/**
 * Marks messages as read after their lower edge has been visible in the focused window for `SEEN_AFTER`, or if the user
 * has scrolled past them. Messages that the timeline jumps over stay unread.
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
  const sight = useVisitRef<Sight | null>(visit, null)
  useEffect(() => releaseUnread, [visit])
  useEffect(() => {
    const { current } = list
    if (!isOn || !isWanted || timeline === undefined || current === null) return
    const ids = timeline.messages.map(({ id }) => id)
    const unread = timeline.messages.flatMap(({ id, flags }) => (flags.includes('read') ? [] : [id]))
    const unreadIds = new Set(unread)
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      clearTimeout(timer)
      if (document.visibilityState !== 'visible' || !document.hasFocus()) {
        sight.current = sight.current && withoutFocus(sight.current)
        return
      }
      const view = viewOf(current, unreadIds)
      if (view === null) return
      const now = performance.now()
      sight.current = withView(sight.current, view, ids, now)
      markSeen(readIn(sight.current, unread, now))
      const isWaiting = [...sight.current.since.values()].some((since) => since > now - SEEN_AFTER)
      if (isWaiting) timer = setTimeout(look, SEEN_AFTER)
    }
    let frame = requestAnimationFrame(look)
    const later = () => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(look)
    }
    const observer = new ResizeObserver(later)
    observer.observe(current)
    current.addEventListener('scroll', later, { passive: true })
    const end = new AbortController()
    // A hidden window draws no frames.
    for (const type of ['focus', 'blur']) addEventListener(type, look, { signal: end.signal })
    document.addEventListener('visibilitychange', look, { signal: end.signal })
    return () => {
      clearTimeout(timer)
      cancelAnimationFrame(frame)
      observer.disconnect()
      current.removeEventListener('scroll', later)
      end.abort()
    }
  }, [list, timeline, isOn, isWanted, sight])
}
