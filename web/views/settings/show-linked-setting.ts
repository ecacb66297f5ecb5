const CONTROLS = 'input:not([type="hidden"]), button, textarea, select, a[href]'

/**
 * Scrolls to a setting, highlights it and focuses its control, as soon as it is on the page. Returns a function that
 * removes the highlight.
 */
export function showLinkedSetting(page: HTMLElement, name: string): () => void {
  let shown: HTMLElement | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  const show = () => {
    shown = page.querySelector<HTMLElement>(`[data-setting="${CSS.escape(name)}"]`)
    if (shown === null) return false
    shown.dataset['linked'] = ''
    shown.scrollIntoView({ block: 'center' })
    const control = findControl(shown)
    // The navigation focuses the page first.
    timer = setTimeout(() => control?.focus({ preventScroll: true }))
    return true
  }
  const observer = new MutationObserver(() => show() && observer.disconnect())
  if (!show()) observer.observe(page, { childList: true, subtree: true })
  return () => {
    observer.disconnect()
    clearTimeout(timer)
    if (shown !== null) delete shown.dataset['linked']
  }
}

/**
 * Returns the control of a setting that users can focus. Some settings also have hidden elements for forms and screen
 * readers.
 */
const findControl = (setting: HTMLElement): HTMLElement | undefined =>
  [...setting.querySelectorAll<HTMLElement>(CONTROLS)].find(
    (control) => control.tabIndex >= 0 && control.closest('[aria-hidden="true"], [hidden]') === null,
  )
