import { type RefObject, useEffect, useRef, useState } from 'react'

/** The duration of a long press in milliseconds, and its tolerance in pixels. */
const LONG_PRESS = 500
const SLIP = 10

/** Elements that handle a long press or a key themselves. */
const INTERACTIVE = 'a, button, input, textarea, summary, img, video, [role="dialog"]'

type RowHandlers = {
  onLongPress: () => void
  onContextMenu: () => void
  /** Called for a double click beside the text. A double click on a word selects the word instead. */
  onDoubleClick: () => void
  /** Called for a key on the focused row; returns true if the key was handled. */
  onKey: (event: KeyboardEvent) => boolean
}

/**
 * Handles keys, long presses and right clicks on the row that contains the element. Returns true while the row is
 * pointed at or has the focus.
 */
export function useRowFocus(inside: RefObject<HTMLElement | null>, handlers: RowHandlers): boolean {
  const [isPointedAt, point] = useState(false)
  const [hasFocus, setFocus] = useState(false)
  const latest = useRef(handlers)
  useEffect(() => {
    latest.current = handlers
  })

  useEffect(() => {
    const row = inside.current?.closest<HTMLElement>('[data-message]')
    return row ? onFirstUse(row, listenToRow) : undefined
  }, [inside])

  function listenToRow(row: HTMLElement): () => void {
    const end = new AbortController()
    const listen = <Type extends keyof HTMLElementEventMap>(
      type: Type,
      listener: (event: HTMLElementEventMap[Type]) => void,
    ) => row.addEventListener(type, listener, { signal: end.signal })
    listen('pointerenter', ({ pointerType }) => point(pointerType === 'mouse'))
    listen('pointerleave', () => point(false))
    listen('focusin', () => setFocus(true))
    listen('focusout', ({ relatedTarget }) => setFocus(row.contains(relatedTarget as Node | null)))
    listen('keydown', (event) => {
      if (isTyped(event) || !latest.current.onKey(event)) return
      event.preventDefault()
      event.stopPropagation()
    })
    listen('contextmenu', (event) => {
      if (isOffered(event)) return
      event.preventDefault()
      latest.current.onContextMenu()
    })
    listen('dblclick', (event) => {
      if (!isBesideText(event)) return
      getSelection()?.removeAllRanges()
      latest.current.onDoubleClick()
    })
    listenForLongPress(row, () => latest.current.onLongPress(), end.signal)
    return () => end.abort()
  }
  return isPointedAt || hasFocus
}

type Unused = { row: HTMLElement; listen: (row: HTMLElement) => () => void; stop: (() => void) | undefined }

const unused = new WeakMap<Element, Unused>()

/** One of these events precedes everything that a user does with a row. */
const FIRST_EVENTS = ['pointerover', 'pointerdown', 'focusin', 'keydown', 'contextmenu'] as const

for (const type of FIRST_EVENTS)
  globalThis.document?.addEventListener(
    type,
    ({ target }) => {
      const row = target instanceof Element ? target.closest('[data-message]') : null
      const found = row && unused.get(row)
      if (!found) return
      unused.delete(found.row)
      found.stop = found.listen(found.row)
    },
    { capture: true, passive: true },
  )

/**
 * Calls `listen` before the first event reaches the row, because most of the hundreds of rows never get an event.
 * Returns a function that also stops the listeners.
 */
function onFirstUse(row: HTMLElement, listen: Unused['listen']): () => void {
  const entry: Unused = { row, listen, stop: undefined }
  unused.set(row, entry)
  return () => {
    unused.delete(row)
    entry.stop?.()
  }
}

const isTyped = ({ target }: Event) =>
  target instanceof Element && target.closest('input, textarea, select, [contenteditable], [role="dialog"]') !== null

/** Returns true if the browser's own menu offers more: for links, images, fields and selected text. */
const isOffered = ({ target }: Event) =>
  (target instanceof Element && target.closest(`${INTERACTIVE}, [contenteditable]`) !== null) ||
  getSelection()?.isCollapsed === false

/** Elements whose text is not prose. A double click beside such text has no meaning. */
const OWN_TEXT = 'pre, table, [contenteditable], form'

/**
 * Returns true if the text selected by the double click is not under the pointer. Browsers select the nearest word when
 * the user double-clicks beside text.
 */
function isBesideText({ target, clientX: x, clientY: y }: MouseEvent): boolean {
  if (!(target instanceof Element) || target.closest(`${INTERACTIVE}, ${OWN_TEXT}`) !== null) return false
  const selection = getSelection()
  if (selection === null || selection.rangeCount === 0) return true
  const boxes = [...selection.getRangeAt(0).getClientRects()]
  return !boxes.some(({ left, right, top, bottom }) => x >= left && x <= right && y >= top && y <= bottom)
}

/** Calls `answer` after a long press. The touch then clicks nothing: a menu may have opened below the finger. */
function listenForLongPress(row: HTMLElement, answer: () => void, signal: AbortSignal): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let start = { x: 0, y: 0 }
  let isAnswered = false
  const stop = () => clearTimeout(timer)
  const begin = ({ pointerType, target, clientX, clientY }: PointerEvent) => {
    stop()
    isAnswered = false
    if (pointerType !== 'touch' || (target instanceof Element && target.closest(INTERACTIVE) !== null)) return
    start = { x: clientX, y: clientY }
    timer = setTimeout(() => {
      isAnswered = true
      answer()
    }, LONG_PRESS)
  }
  const move = ({ clientX, clientY }: PointerEvent) => {
    if (Math.hypot(clientX - start.x, clientY - start.y) > SLIP) stop()
  }
  row.addEventListener('pointerdown', begin, { signal })
  row.addEventListener('pointermove', move, { signal })
  row.addEventListener('pointerup', stop, { signal })
  row.addEventListener('pointercancel', stop, { signal })
  row.addEventListener('touchend', (event) => isAnswered && event.preventDefault(), { signal, passive: false })
  signal.addEventListener('abort', stop)
}
