import { type RefObject, useEffect, useRef, useState } from 'react'
import { loadNewer, loadOlder, type Opening, updateTimeline } from '../../messages/messages.ts'
import type { Narrow } from '../../messages/narrow.ts'
import { MAX_KEPT, type Timeline, trimmed } from '../../messages/timeline.ts'
import { toAppError } from '../../store/app-error.ts'
import { onRestored } from '../../store/connection.ts'
import type { AppError } from '../../ui/notice.tsx'

/** The distance to an end at which more messages are loaded, in heights of the list. */
const NEAR = 3

/** The number of messages that a frame drops. */
const PORTION = 8

/**
 * The distance to an end beyond which its messages are dropped, in heights of the list. It is large enough that dropped
 * messages are not loaded again immediately.
 */
const FAR = 2 * NEAR

/**
 * The maximum number of messages that are kept near the newest message. It is higher there, because each dropped
 * message moves the others.
 */
const MAX_AT_END = MAX_KEPT * 1.5

/**
 * Loads older and newer messages when the user scrolls near an end, and drops messages that are far away, a few in each
 * frame.
 */
export function usePaging(props: {
  narrow: Narrow
  opening: Opening
  timeline: Timeline | undefined
  /** False while another timeline is shown. */
  isOn: boolean
  /** True if all messages of the timeline are rendered. */
  isWhole: boolean
  list: RefObject<HTMLElement | null>
}): { isLoading: boolean; error: AppError | null; loadOlder: () => void; loadNewer: () => void } {
  const { narrow, opening, timeline, isOn, isWhole, list } = props
  const [isLoading, setLoading] = useState(false)
  const [error, setError] = useState<AppError | null>(null)
  const isBusy = useRef(false)

  const run = async (load: typeof loadOlder) => {
    if (isBusy.current) return
    isBusy.current = true
    setLoading(true)
    setError(null)
    try {
      await load(narrow, opening)
    } catch (error) {
      setError(toAppError(error))
    } finally {
      isBusy.current = false
      setLoading(false)
    }
  }

  const look = useRef(() => {})
  look.current = () => {
    if (timeline === undefined || !isWhole || list.current === null || timeline.messages.length === 0) return
    if (error !== null) return
    const { scrollTop, scrollHeight, clientHeight } = list.current
    const below = scrollHeight - scrollTop - clientHeight
    const isNearEnd = below < clientHeight * NEAR
    if (!timeline.hasOldest && scrollTop < NEAR * clientHeight) void run(loadOlder)
    else if (!timeline.hasNewest && isNearEnd) void run(loadNewer)
    if (timeline.messages.length <= (timeline.hasNewest && isNearEnd ? MAX_AT_END : MAX_KEPT)) return
    const isInUpperHalf = scrollTop < below
    if (Math.max(scrollTop, below) < FAR * clientHeight) return
    updateTimeline(narrow, opening, (known) => trimmed(known, isInUpperHalf ? 'newest' : 'oldest', PORTION))
  }

  const isThere = isOn && timeline !== undefined && timeline.messages.length > 0
  useEffect(() => {
    const { current } = list
    if (!isThere || current === null) return
    const onScroll = () => look.current()
    current.addEventListener('scroll', onScroll, { passive: true })
    return () => current.removeEventListener('scroll', onScroll)
  }, [list, isThere])
  useEffect(() => {
    if (!isOn) return
    const frame = requestAnimationFrame(() => look.current())
    return () => cancelAnimationFrame(frame)
  }, [timeline, isOn, isWhole, isLoading, error])
  useEffect(() => onRestored(() => setError(null)), [])

  return { isLoading, error, loadOlder: () => void run(loadOlder), loadNewer: () => void run(loadNewer) }
}
