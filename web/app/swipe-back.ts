/** The minimum length of a swipe in pixels, and its maximum duration in milliseconds. */
const DISTANCE = 72
const DURATION = 600

/** The width of the areas at the edges of the screen, in pixels, where swipes belong to the browser. */
const EDGE = 28

/** Elements that handle horizontal movements themselves. */
const OWN_SWIPE = 'input, textarea, video, audio, [role="slider"], [role="dialog"], [contenteditable]'

/**
 * Presses the page's back button when the user swipes over the page in the reading direction, except over elements that
 * scroll horizontally. Returns a function that stops this.
 */
export function listenForSwipes(page: HTMLElement): () => void {
  let start: { x: number; y: number; at: number } | null = null
  const end = new AbortController()
  const onStart = (event: TouchEvent) => {
    const [touch] = event.touches
    const isAlone = event.touches.length === 1 && touch !== undefined
    start = isAlone && isFree(touch, page) ? { x: touch.clientX, y: touch.clientY, at: event.timeStamp } : null
  }
  const onEnd = (event: TouchEvent) => {
    const [touch] = event.changedTouches
    if (start === null || touch === undefined) return
    const isRightToLeft = getComputedStyle(document.documentElement).direction === 'rtl'
    const forward = (touch.clientX - start.x) * (isRightToLeft ? -1 : 1)
    const isStraight = Math.abs(touch.clientY - start.y) < forward / 2
    const isFast = event.timeStamp - start.at < DURATION
    start = null
    if (forward >= DISTANCE && isStraight && isFast) page.querySelector<HTMLElement>('[data-back]')?.click()
  }
  const listen = { passive: true, signal: end.signal }
  page.addEventListener('touchstart', onStart, listen)
  page.addEventListener('touchend', onEnd, listen)
  page.addEventListener(
    'touchcancel',
    () => {
      start = null
    },
    listen,
  )
  return () => end.abort()
}

function isFree({ clientX, target }: Touch, page: HTMLElement): boolean {
  if (clientX < EDGE || clientX > innerWidth - EDGE || getSelection()?.isCollapsed === false) return false
  if (!(target instanceof Element) || target.closest(OWN_SWIPE) !== null) return false
  for (let at: Element | null = target; at !== null && at !== page; at = at.parentElement)
    if (at.scrollWidth > at.clientWidth && /auto|scroll/.test(getComputedStyle(at).overflowX)) return false
  return true
}
