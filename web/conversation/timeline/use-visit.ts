import { type RefObject, useEffect, useMemo, useState } from 'react'
import { viewOf } from '../../message-view/row-elements.ts'
import { readIn, SEEN_AFTER, type Sight, withoutFocus, withView } from '../../message-view/sight.ts'
import { markSeen, ReadPolicy, releaseUnread } from '../../messages/mark-read.ts'
import { isOwnNotice, type Message } from '../../messages/message.ts'
import type { Opening } from '../../messages/messages.ts'
import type { Timeline } from '../../messages/timeline.ts'
import { currentOrganization, useOrganization } from '../../store/organization.ts'

/**
 * One showing of a timeline, with the key of its history entry. A timeline that is kept while another one is shown
 * opens anew when the user returns to it, with another object.
 */
export type Visit = { readonly step: string }

/** Like `useRef`, but begins again with each visit of a timeline. */
export const useVisitRef = <Value>(visit: Visit, initial: Value): RefObject<Value> =>
  useMemo(() => ({ current: initial }), [visit])

/** Like `useState`, but begins again with each visit of a timeline. */
export function useVisitState<Value>(
  visit: Visit,
  initial: Value,
): [Value, (change: (before: Value) => Value) => void] {
  const [state, setState] = useState({ visit, value: initial })
  const value = state.visit === visit ? state.value : initial
  const change = (next: (before: Value) => Value) =>
    setState((before) => {
      const current = before.visit === visit ? before.value : initial
      const changed = next(current)
      return before.visit === visit && changed === current ? before : { visit, value: changed }
    })
  return [value, change]
}

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
  const { web_mark_read_on_scroll_policy: policy } = useOrganization('user_settings').user_settings
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

/**
 * Returns the id of the first message that was unread when the timeline was opened. It stays the same while the user
 * reads. Returns null if there was none, or if the timeline opened at the newest message. Notices about what the user
 * did do not count.
 */
export function useFirstUnread(visit: Visit, timeline: Timeline | undefined, opening: Opening): number | null {
  const first = useVisitRef<number | null | undefined>(visit, undefined)
  if (first.current === undefined && timeline !== undefined) {
    const organization = currentOrganization()
    const isNews = (message: Message) =>
      !message.flags.includes('read') && !(organization !== undefined && isOwnNotice(message, organization))
    first.current = timeline.messages.find(isNews)?.id ?? null
  }
  return opening === 'newest' ? null : (first.current ?? null)
}
