import X from 'lucide-react/icons/x'
import { type FocusEvent, type MouseEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { t } from '../text/t.ts'
import { Button } from './button.tsx'
import { TOAST_DURATION } from './timers.ts'
import * as css from './toast-region.module.css'
import { dismissToast, type Toast, undoToast, useToasts } from './toasts.ts'

/**
 * The region of the toasts. Screen readers announce toasts, and Tab reaches them. A toast stays while it has the focus
 * or the pointer.
 */
export function ToastRegion(): ReactNode {
  const toasts = useToasts()
  return (
    <section
      className={css.toastRegion}
      aria-label={t('Notifications')}
      aria-live="polite"
      aria-relevant="additions"
      data-react-aria-top-layer="true"
    >
      {toasts.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </section>
  )
}

function ToastCard({ toast }: { toast: Toast }): ReactNode {
  const [isHeld, hold] = useState(false)
  const cameFrom = useRef<HTMLElement>(null)
  useEffect(() => {
    if (isHeld) return
    const timer = setTimeout(dismissToast, TOAST_DURATION, toast.id)
    return () => clearTimeout(timer)
  }, [isHeld, toast.id])

  function enter({ currentTarget, relatedTarget }: FocusEvent) {
    hold(true)
    if (!currentTarget.contains(relatedTarget)) cameFrom.current = relatedTarget as HTMLElement | null
  }

  /**
   * Runs an action that closes the toast, and moves the focus back to where it was before. Otherwise the focus would be
   * lost.
   */
  function leave(action: (id: number) => void) {
    action(toast.id)
    const back = cameFrom.current?.isConnected ? cameFrom.current : document.querySelector('main')
    back?.focus({ preventScroll: true })
  }

  function follow(event: MouseEvent) {
    // With a modifier key, the browser opens the link in another tab or window.
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    dismissToast(toast.id)
    toast.link?.open()
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: pointing at a toast only keeps it open
    <div
      className={css.toast}
      data-kind={toast.kind}
      onMouseEnter={() => hold(true)}
      onMouseLeave={({ currentTarget }) => hold(currentTarget.contains(document.activeElement))}
      onFocus={enter}
      onBlur={({ currentTarget }) => hold(currentTarget.matches(':hover'))}
    >
      <span className={css.toastText}>{toast.text}</span>
      {toast.link && (
        <a href={toast.link.href} onClick={follow}>
          {toast.link.text}
        </a>
      )}
      {toast.undo && (
        <Button kind="quiet" onPress={() => leave(undoToast)}>
          {t('Undo')}
        </Button>
      )}
      <Button
        kind="quiet"
        aria-label={t('Dismiss')}
        icon={<X className="icon" aria-hidden="true" />}
        onPress={() => leave(dismissToast)}
      />
    </div>
  )
}
