import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { findRow } from '../../message-view/row-elements.ts'
import type { Timeline } from '../../messages/timeline.ts'
import { useVisitRef, type Visit } from './use-visit.ts'

/** The height of a message in the estimate of how many fill the window, in pixels. */
const ROW = 40

/**
 * Returns the number of messages in the first rendering of a timeline at its end. At another message, it is the number
 * from this message on, and half as many are rendered before it. If they do not fill the window, more are added before
 * it is drawn, which costs more than to render them all at once.
 */
const firstCount = (): number => Math.ceil((globalThis.innerHeight ?? 800) / ROW)

/**
 * The number of messages that the first frame adds at each end, and the limits of this number. It adapts to the
 * duration of frames.
 */
const STEP = 8
const [MIN_STEP, MAX_STEP] = [4, 16]

/** The time that adding messages should take in a frame, in milliseconds. */
const BUDGET = 8

const NONE: Timeline['messages'] = []

/** Positions in the list of messages; `end` is exclusive. */
export type Range = { readonly start: number; readonly end: number }

/**
 * The ids of the first and the last rendered message. Unlike positions, ids stay the same while other messages are
 * loaded.
 */
type Rendered = { readonly firstId: number; readonly lastId: number }

/**
 * Returns the messages to render, both as a timeline and as a range within all messages. At first, these are the
 * messages around the opening position. Each frame adds a few more, so that no frame takes long, until all are
 * rendered.
 */
export function useGradualTimeline(
  visit: Visit,
  /** False while another timeline is shown. */
  isOn: boolean,
  list: RefObject<HTMLElement | null>,
  timeline: Timeline | undefined,
  /** The id of the message at the opening position; null for the end. */
  targetId: number | null,
): {
  shown: Timeline | undefined
  range: Range
  /** True as soon as the messages around the opening position fill the window. */
  isFilled: RefObject<boolean>
  showAll: () => void
} {
  const rendered = useRef<Rendered | null>(null)
  const isFilled = useVisitRef(visit, false)
  const step = useRef(STEP)
  const startedAt = useRef<number | null>(null)
  const [turn, setTurn] = useState(0)
  const messages = timeline?.messages ?? NONE
  const opened = useRef(visit)
  if (opened.current !== visit) {
    opened.current = visit
    if (!isRendered(messages, rendered.current, targetId)) rendered.current = null
  }
  // Only a new turn adds messages; other renderings do not.
  const range = useMemo(() => nextRange(messages, rendered.current, targetId, step.current), [messages, turn, visit])
  const isWholeAt = { start: range.start === 0, end: range.end === messages.length }
  const isWhole = isWholeAt.start && isWholeAt.end

  useLayoutEffect(() => {
    rendered.current =
      range.start < range.end ? { firstId: messages[range.start]!.id, lastId: messages[range.end - 1]!.id } : null
    if (list.current === null || !isOn) return
    if (startedAt.current !== null) step.current = nextStep(step.current, layOut(list.current) - startedAt.current)
    startedAt.current = null
    if (isFilled.current) return
    isFilled.current = isWhole || fills(list.current, targetId, isWholeAt)
    if (!isFilled.current) setTurn((count) => count + 1)
  })
  useEffect(() => {
    if (isWhole || !isOn) return
    const frame = requestAnimationFrame(() => {
      startedAt.current = performance.now()
      setTurn((count) => count + 1)
    })
    return () => cancelAnimationFrame(frame)
  })

  const shown = useRef<Timeline>(undefined)
  if (timeline === undefined || !isSamePart(shown.current, timeline, range))
    shown.current = timeline && {
      messages: isWhole ? messages : messages.slice(range.start, range.end),
      hasOldest: timeline.hasOldest && range.start === 0,
      hasNewest: timeline.hasNewest && range.end === messages.length,
    }
  return {
    shown: shown.current,
    range,
    isFilled,
    showAll: () => {
      if (isWhole) return
      rendered.current = { firstId: messages[0]!.id, lastId: messages.at(-1)!.id }
      setTurn((count) => count + 1)
    },
  }
}

/** Returns whether the message at which a timeline opens is among the rendered ones. */
function isRendered(messages: Timeline['messages'], rendered: Rendered | null, targetId: number | null): boolean {
  const id = targetId ?? messages.at(-1)?.id
  return rendered !== null && id !== undefined && id >= rendered.firstId && id <= rendered.lastId
}

/** Makes the browser lay out the list. Returns the time after that. */
function layOut(list: HTMLElement): number {
  list.getBoundingClientRect()
  return performance.now()
}

/** Returns the number of messages for the next frame. The last frame took `milliseconds` to add `before` messages. */
export const nextStep = (before: number, milliseconds: number): number =>
  Math.min(MAX_STEP, Math.max(MIN_STEP, Math.min(before * 2, Math.floor((before * BUDGET) / milliseconds))))

/**
 * Returns the range of the rendered messages with `step` more at each end. If none are rendered, returns the range
 * around the opening position.
 */
export function nextRange(
  messages: readonly { readonly id: number }[],
  rendered: Rendered | null,
  targetId: number | null,
  step: number,
): Range {
  const count = messages.length
  if (rendered !== null) {
    const first = messages.findIndex(({ id }) => id >= rendered.firstId)
    const last = messages.findLastIndex(({ id }) => id <= rendered.lastId)
    if (first !== -1 && last >= first)
      return { start: Math.max(0, first - step), end: Math.min(count, last + 1 + step) }
  }
  const target = targetId === null ? -1 : messages.findIndex(({ id }) => id === targetId)
  const first = firstCount()
  if (target === -1) return { start: Math.max(0, count - first), end: count }
  // The target is shown at a third of the height.
  return { start: Math.max(0, target - Math.ceil(first / 2)), end: Math.min(count, target + first) }
}

const isSamePart = (shown: Timeline | undefined, { messages, hasOldest, hasNewest }: Timeline, range: Range): boolean =>
  shown !== undefined &&
  shown.messages.length === range.end - range.start &&
  shown.messages.every((message, at) => message === messages[range.start + at]) &&
  shown.hasOldest === (hasOldest && range.start === 0) &&
  shown.hasNewest === (hasNewest && range.end === messages.length)

/**
 * Returns true if the rendered messages fill the window after the list has scrolled to the target. At an end without
 * further messages, they do not need to fill it.
 */
function fills(list: HTMLElement, targetId: number | null, isWholeAt: { start: boolean; end: boolean }): boolean {
  const row = targetId === null ? null : findRow(list, targetId)
  if (row === null) return list.scrollHeight > list.clientHeight
  const above = row.getBoundingClientRect().top - list.getBoundingClientRect().top + list.scrollTop
  const isFilled = (height: number) => height >= list.clientHeight
  return (isWholeAt.start || isFilled(above)) && (isWholeAt.end || isFilled(list.scrollHeight - above))
}
