// These functions run in pages: they refer to nothing outside of themselves.

type Marks = { usableAt: number; shift: number; keys: number[] }

declare global {
  var benchMarks: Marks
}

/**
 * Notes when the page is usable, how much its layout shifts without input, and how long it takes to show typed keys.
 * `selectors` name the elements that a usable page has.
 */
export function observePage(selectors: readonly string[]): void {
  const marks: Marks = { usableAt: 0, shift: 0, keys: [] }
  globalThis.benchMarks = marks
  const isUsable = () => selectors.every((selector) => document.querySelector(selector) !== null)
  const observer = new MutationObserver(() => {
    if (!isUsable()) return
    observer.disconnect()
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => {
        marks.usableAt = performance.now()
        port1.close()
      }
      port2.postMessage(null)
    })
  })
  observer.observe(document, { childList: true, subtree: true })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[])
      if (!entry.hadRecentInput) marks.shift += entry.value
  }).observe({ type: 'layout-shift', buffered: true })
  new PerformanceObserver((list) => {
    for (const { name, duration } of list.getEntries()) if (name === 'keydown') marks.keys.push(duration)
  }).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit)
}

/** Returns the milliseconds that fib(35) takes: the median of three runs. */
export function timeFib(): number {
  const fib = (number: number): number => (number < 2 ? number : fib(number - 1) + fib(number - 2))
  const times = [0, 0, 0].map(() => {
    const startedAt = performance.now()
    fib(35)
    return performance.now() - startedAt
  })
  return times.toSorted((one, other) => one - other)[1]!
}

/** Follows a link to another conversation; returns the milliseconds until the frame with its messages is drawn. */
export async function timeSwitch(linkSelector: string): Promise<number> {
  const lastId = () =>
    [...document.querySelectorAll<HTMLElement>('.timeline:not([data-kept] > *) [data-message]')].at(-1)?.dataset[
      'message'
    ]
  const link = document.querySelector<HTMLElement>(linkSelector)
  if (link === null) throw new Error(`No link ${linkSelector}`)
  const before = lastId()
  await new Promise((resolve) => setTimeout(resolve))
  const startedAt = performance.now()
  link.click()
  do await new Promise(requestAnimationFrame)
  while (lastId() === undefined || lastId() === before)
  // The next task runs when the frame is drawn.
  const { port1, port2 } = new MessageChannel()
  await new Promise((resolve) => {
    port1.onmessage = resolve
    port2.postMessage(null)
  })
  port1.close()
  return performance.now() - startedAt
}

/**
 * Scrolls the timeline by a step in each frame until nothing more is loaded. Returns the milliseconds of the longest
 * frame and the distance in pixels.
 */
export async function timeScrolling(step: number): Promise<{ longest: number; distance: number }> {
  const list = document.querySelector<HTMLElement>('.timeline')!
  const frame = () => new Promise<number>(requestAnimationFrame)
  let [longest, distance, still] = [0, 0, 0]
  let before = await frame()
  while (still < 90) {
    const from = list.scrollTop
    list.scrollTop = from + step
    const moved = Math.abs(list.scrollTop - from)
    distance += moved
    still = moved < 1 ? still + 1 : 0
    const now = await frame()
    longest = Math.max(longest, now - before)
    before = now
  }
  return { longest, distance }
}
