import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import * as css from './tooltips.module.css'

/** The distance between a tooltip and its button, and between a tooltip and the edges of the window, in pixels. */
const GAP = 4

/** The time for which the pointer must rest on a button before its tooltip appears, in milliseconds. */
const DELAY = 400

/**
 * Shows the tooltip of the button or link under the mouse pointer or with the keyboard focus. The text is
 * `data-tooltip`, or else the label of an element without visible text, followed by the keys in `data-keys`. One
 * component does this for all buttons and links, since lists have hundreds of them. The tooltip disappears when `page`
 * changes.
 */
export function Tooltips({ page }: { page: string }): ReactNode {
  const [shown, show] = useState<{ element: HTMLElement; text: string } | null>(null)
  const tooltip = useRef<HTMLDivElement>(null)
  useEffect(() => listen(show), [])
  useEffect(() => show(null), [page])
  useLayoutEffect(() => {
    if (tooltip.current !== null && shown !== null) place(tooltip.current, shown.element)
  }, [shown])
  if (shown === null) return null
  // Screen readers read the label itself.
  return (
    <div ref={tooltip} popover="manual" className={css.tooltip} aria-hidden="true">
      {shown.text}
    </div>
  )
}

/** Shows the tooltip above the element, or below the element if there is no room above it. */
function place(tooltip: HTMLElement, element: HTMLElement): void {
  if (!tooltip.matches(':popover-open')) tooltip.showPopover()
  const { left, top, bottom, width } = element.getBoundingClientRect()
  const { offsetWidth, offsetHeight } = tooltip
  const start = Math.min(left + (width - offsetWidth) / 2, innerWidth - offsetWidth - GAP)
  const above = top - offsetHeight - GAP
  tooltip.style.setProperty('left', `${Math.max(GAP, start)}px`)
  tooltip.style.setProperty('top', `${above >= GAP ? above : bottom + GAP}px`)
}

/**
 * Calls `show` with an element and the text of its tooltip, and with null to hide the tooltip. Returns a function that
 * stops this.
 */
function listen(show: (shown: { element: HTMLElement; text: string } | null) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let current: Element | null = null
  /** False if the focus moves because of a click, for example back to the button of a menu. */
  let isByKeyboard = true
  const open = (element: HTMLElement) => {
    const text = tooltipOf(element)
    if (text !== null && element.isConnected) show({ element, text })
  }
  const enter = (target: EventTarget | null, delay: number) => {
    const element = target instanceof Element ? target.closest<HTMLElement>('button, a') : null
    if (element === current) return
    leave()
    current = element
    if (element?.matches('[aria-label], [data-tooltip]')) timer = setTimeout(open, delay, element)
  }
  const leave = () => {
    clearTimeout(timer)
    current = null
    show(null)
  }
  const hide = () => {
    clearTimeout(timer)
    show(null)
  }
  const onFocus = ({ target }: Event) => {
    if (isByKeyboard && target instanceof Element && target.matches(':focus-visible')) enter(target, 0)
  }
  const listeners = {
    pointerover: ({ target, pointerType }: PointerEvent) => {
      if (pointerType === 'mouse') enter(target, DELAY)
    },
    // The pointer leaves the window.
    pointerout: ({ relatedTarget }: PointerEvent) => relatedTarget === null && leave(),
    pointerdown: () => {
      isByKeyboard = false
      hide()
    },
    keydown: () => {
      isByKeyboard = true
      hide()
    },
    wheel: hide,
    focusin: onFocus,
    focusout: leave,
  }
  for (const [type, listener] of Object.entries(listeners))
    document.addEventListener(type, listener as EventListener, { passive: true })
  return () => {
    clearTimeout(timer)
    for (const [type, listener] of Object.entries(listeners))
      document.removeEventListener(type, listener as EventListener)
  }
}

/** Returns the text of an element's tooltip; null if the label is visible anyway, or if the element's menu is open. */
function tooltipOf(element: HTMLElement): string | null {
  const tooltip = element.dataset['tooltip']
  const label = tooltip ?? element.getAttribute('aria-label')
  const keys = element.dataset['keys']
  // The text of a button that contains only an emoji does not describe the button.
  const hasText = tooltip === undefined && /[\p{Letter}\p{Number}]/u.test(element.textContent)
  const hasOpenMenu = element.matches('[aria-haspopup][aria-expanded="true"]')
  if (label === null || hasText || hasOpenMenu || element.title !== '') return null
  return keys === undefined ? label : `${label} (${keys})`
}
