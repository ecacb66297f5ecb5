import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import { findRow, firstVisibleRow, idOfRow, readingArea } from '../message-view/row-elements.ts'
import type { Opening } from '../messages/messages.ts'
import type { Timeline } from '../messages/timeline.ts'
import { useVisitRef, useVisitState, type Visit } from './timeline/use-visit.ts'

/** The position of a message: the distance of its top from the top of the window in pixels. */
export type MessagePosition = { readonly id: number; readonly top: number }

/** The position of a timeline: that of a message, or the end. */
type ScrollPosition = MessagePosition | 'end'

const STORAGE_KEY = 'parley.scroll'

/** The maximum number of history entries whose positions survive a reload. */
const MAX_KEPT = 50

const positions = new Map<string, ScrollPosition>(readStored())
/** The positions that were stored before the page was reloaded. */
const restored = new Map(positions)
globalThis.addEventListener?.('pagehide', store)

/** Returns the scroll position of a history entry. */
export const findScrollPosition = (step: string): ScrollPosition | null => positions.get(step) ?? null

export function saveScrollPosition(step: string, position: ScrollPosition): void {
  // Entries stay in the order of their last use.
  positions.delete(step)
  positions.set(step, position)
}

/** Saves the position at which a history entry opens for the first time. */
export function openAtScrollPosition(step: string, position: MessagePosition): void {
  if (!positions.has(step)) positions.set(step, position)
}

export const forgetScrollPosition = (step: string): void => void positions.delete(step)

/** Returns the id of the message at which a timeline was before the page was reloaded; null if it opens as usual. */
export function restoredMessageId(step: string): number | null {
  const position = restored.get(step)
  return position === undefined || position === 'end' ? null : position.id
}

function readStored(): [string, ScrollPosition][] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isEntry) : []
  } catch {
    return []
  }
}

function isEntry(entry: unknown): entry is [string, ScrollPosition] {
  if (!Array.isArray(entry) || typeof entry[0] !== 'string') return false
  const position = entry[1] as ScrollPosition | null
  return position === 'end' || (typeof position?.id === 'number' && typeof position.top === 'number')
}

function store(): void {
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify([...positions].slice(-MAX_KEPT)))
  } catch {
    // Without storage, timelines open at their first unread message after a reload.
  }
}

/** The distance from the end of the list within which the user counts as being at the end, in pixels. */
const END = 100

/** The id of a message, and the distance of its row from the top of the list's content in pixels. */
type Anchor = { id: number; at: number }

const topOf = (row: HTMLElement) => row.getBoundingClientRect().top
const topIn = (list: HTMLElement, row: HTMLElement) => topOf(row) - topOf(list) + list.scrollTop
const distanceToEnd = (list: HTMLElement) => list.scrollHeight - list.scrollTop - list.clientHeight
const isAt = (list: HTMLElement, top: number | null) => top !== null && Math.abs(list.scrollTop - top) <= 1
const scrollToEnd = (list: HTMLElement | null) => list?.scrollTo({ top: list.scrollHeight })

type ScrollAnchor = {
  /** True after the timeline has scrolled to its opening position. */
  isSet: boolean
  isAtEnd: boolean
  seenEndId: number
  goToEnd(): void
}

/**
 * Opens a timeline at its position, and keeps the visible messages in place when other messages are added, removed or
 * resized.
 */
export function useScrollAnchor(props: {
  list: RefObject<HTMLDivElement | null>
  /** The rendered part of the timeline. */
  timeline: Timeline | undefined
  /** The whole timeline. */
  loaded: Timeline | undefined
  opening: Opening
  firstUnreadId: number | null
  visit: Visit
  /** False while another timeline is shown. */
  isOn: boolean
  /** True if enough messages are rendered for the opening position. */
  isFilled: RefObject<boolean>
  /** True if messages that are being sent follow the messages of the timeline. */
  hasOutgoing: boolean
}): ScrollAnchor {
  const { list, timeline, loaded, opening, firstUnreadId, visit, isOn, isFilled, hasOutgoing } = props
  const { step } = visit
  const held = useVisitRef<Anchor | null>(visit, null)
  const isSet = useVisitRef(visit, false)
  const atEnd = useVisitRef(visit, false)
  const recordedTop = useVisitRef(visit, 0)
  const [shown, show] = useVisitState<Shown>(visit, NOT_SET)
  const hasNewest = timeline?.hasNewest ?? false
  const lastLoadedId = loaded?.messages.at(-1)?.id ?? 0
  const hasLoadedNewest = loaded?.hasNewest ?? false
  /** The row that the mouse points at. It stays in place, so that a click hits the same message. */
  const pointed = useRef<HTMLElement | null>(null)
  /** The scroll position from which the timeline goes to the end after the mouse points at nothing; null if it stays. */
  const waitsAt = useVisitRef<number | null>(visit, null)

  const record = useRef(() => {})
  record.current = () => {
    if (list.current === null || !isSet.current) return
    const row = firstVisibleRow(list.current)
    const heldRow = pointed.current?.isConnected === true ? pointed.current : row
    held.current = heldRow && { id: idOfRow(heldRow), at: topIn(list.current, heldRow) }
    atEnd.current = hasNewest && distanceToEnd(list.current) < END
    recordedTop.current = list.current.scrollTop
    if (atEnd.current) saveScrollPosition(step, 'end')
    else if (row !== null) saveScrollPosition(step, { id: idOfRow(row), top: topOf(row) })
    const isAtEnd = atEnd.current && waitsAt.current === null
    show((before) => {
      // Messages that are loaded on the way to the end do not count as new.
      const seenEndId = isAtEnd || !before.hadNewest ? lastLoadedId : before.seenEndId
      const after = { isSet: true, isAtEnd, seenEndId, hadNewest: hasLoadedNewest }
      return isSameState(before, after) ? before : after
    })
  }

  const hold = useRef(() => {})
  hold.current = () => {
    if (list.current === null || !isSet.current) return
    // The user may have scrolled since the position was recorded.
    const isUnmoved = isAt(list.current, recordedTop.current)
    const isFollowing = atEnd.current && hasNewest && isUnmoved
    const isWaiting = isAt(list.current, waitsAt.current)
    // A row that is gone, such as one of another timeline, holds nothing.
    const isPointing = pointed.current?.isConnected === true
    if (isFollowing && !isPointing) scrollToEnd(list.current)
    else if (held.current !== null) {
      const row = findRow(list.current, held.current.id)
      if (row !== null) list.current.scrollBy({ top: topIn(list.current, row) - held.current.at })
    }
    const waits = isPointing && (isFollowing || isWaiting) && distanceToEnd(list.current) > 1
    waitsAt.current = waits ? list.current.scrollTop : null
    record.current()
  }

  const point = useRef((_: HTMLElement | null) => {})
  point.current = (row) => {
    if (pointed.current === row || list.current === null) return
    pointed.current = row
    if (row === null) {
      if (isAt(list.current, waitsAt.current)) scrollToEnd(list.current)
      waitsAt.current = null
    }
    record.current()
  }

  useLayoutEffect(() => {
    if (list.current === null || timeline === undefined || !isOn) return
    if (!isSet.current && !isFilled.current) return
    if (!isSet.current) {
      isSet.current = true
      goTo(list.current, findScrollPosition(step), typeof opening === 'number' ? opening : null, firstUnreadId)
      atEnd.current = timeline.hasNewest && distanceToEnd(list.current) < END
      record.current()
    } else hold.current()
  }, [timeline, list, opening, firstUnreadId, visit, step, isOn, isFilled])

  useScrollAndResize(
    list,
    isOn && timeline !== undefined && (timeline.messages.length > 0 || hasOutgoing),
    hasOutgoing,
    { onScroll: record, onResize: hold, onPoint: point },
  )

  return { ...shown, goToEnd: () => scrollToEnd(list.current) }
}

/** The time for which a message stays in place after the mouse has moved over it, in milliseconds. */
const REST = 1000

/** The selector of the elements that a click acts on. While the mouse is on one, the message stays in place. */
const CONTROLS = '[role="toolbar"], button, a[href], input, label'

/**
 * Calls `onScroll` at most once a frame while the list scrolls, `onResize` when the list or its content changes size,
 * and `onPoint` with the row that the mouse points at, or with null if it rests outside of controls. Fingers do not
 * point at anything.
 */
function useScrollAndResize(
  list: RefObject<HTMLDivElement | null>,
  isThere: boolean,
  /** True if the list also contains messages that are being sent. Their sizes are observed, too. */
  hasOutgoing: boolean,
  callbacks: {
    onScroll: RefObject<() => void>
    onResize: RefObject<() => void>
    onPoint: RefObject<(row: HTMLElement | null) => void>
  },
): void {
  const { onScroll, onResize, onPoint } = callbacks
  useEffect(() => {
    const { current } = list
    if (!isThere || current === null) return
    let frame = 0
    const scrolled = () => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(() => onScroll.current())
    }
    const observer = new ResizeObserver(() => onResize.current())
    for (const part of [current, ...current.children]) observer.observe(part)
    const end = new AbortController()
    current.addEventListener('scroll', scrolled, { passive: true, signal: end.signal })
    let rest: ReturnType<typeof setTimeout> | undefined
    const release = () => {
      clearTimeout(rest)
      onPoint.current(null)
    }
    const moved = ({ target, pointerType }: PointerEvent) => {
      if (pointerType !== 'mouse' || !(target instanceof Element)) return release()
      clearTimeout(rest)
      onPoint.current(target.closest<HTMLElement>('[data-message]'))
      if (target.closest(CONTROLS) === null) rest = setTimeout(release, REST)
    }
    current.addEventListener('pointermove', moved, { passive: true, signal: end.signal })
    current.addEventListener('pointerleave', release, { passive: true, signal: end.signal })
    return () => {
      release()
      observer.disconnect()
      cancelAnimationFrame(frame)
      end.abort()
    }
  }, [list, isThere, hasOutgoing, onScroll, onResize, onPoint])
}

type Shown = { isSet: boolean; isAtEnd: boolean; seenEndId: number; hadNewest: boolean }

const NOT_SET: Shown = { isSet: false, isAtEnd: true, seenEndId: 0, hadNewest: false }

const isSameState = (one: Shown, other: Shown): boolean =>
  one.isSet === other.isSet &&
  one.isAtEnd === other.isAtEnd &&
  one.seenEndId === other.seenEndId &&
  one.hadNewest === other.hadNewest

/**
 * Returns the id of the message at which a timeline opens: the message of the saved position, else the given message,
 * else the first unread one. Returns null if the timeline opens at the end.
 */
export function openingMessageId(
  step: string,
  timeline: Timeline | undefined,
  opening: Opening,
  firstUnreadId: number | null,
): number | null {
  const before = findScrollPosition(step)
  if (before === 'end') return null
  const wanted = [before?.id, typeof opening === 'number' ? opening : null, firstUnreadId]
  return wanted.find((wantedId) => timeline?.messages.some(({ id }) => id === wantedId)) ?? null
}

/** Scrolls to the saved position, else to the given message, else to the first unread message, else to the end. */
function goTo(
  list: HTMLElement,
  before: ScrollPosition | null,
  wantedId: number | null,
  firstUnreadId: number | null,
): void {
  const { top, bottom } = readingArea(list)
  const showAt = (row: HTMLElement, at: number) => list.scrollBy({ top: topOf(row) - at })
  const earlier = before === null || before === 'end' ? null : findRow(list, before.id)
  const target = wantedId === null ? null : findRow(list, wantedId)
  const unread = firstUnreadId === null ? null : findRow(list, firstUnreadId)
  if (earlier !== null && before !== null && before !== 'end') return showAt(earlier, before.top)
  if (before === 'end') {
    scrollToEnd(list)
    return
  }
  if (target !== null) return showAt(target, top + (bottom - top) / 3)
  if (unread !== null) return showAt(unread, top + (bottom - top) / 3)
  scrollToEnd(list)
}
