import X from 'lucide-react/icons/x'
import { type ReactNode, useEffect, useState } from 'react'
import { Button } from './button.tsx'
import { dismissToast, TOAST_LIFE, type Toast, undoToast, useToasts } from './toast.ts'
import './toast-region.css'

/** Where toasts appear. They are announced, can be reached by Tab, and stay while they are focused or pointed at. */
export function ToastRegion(): ReactNode {
  const toasts = useToasts()
  return (
    <section
      className="toast-region"
      aria-label="Notifications"
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
  useEffect(() => {
    if (isHeld) return
    const timer = setTimeout(dismissToast, TOAST_LIFE, toast.id)
    return () => clearTimeout(timer)
  }, [isHeld, toast.id])

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: pointing at it only keeps it there
    <div
      className={`toast toast-${toast.kind}`}
      onMouseEnter={() => hold(true)}
      onMouseLeave={() => hold(false)}
      onFocus={() => hold(true)}
      onBlur={() => hold(false)}
    >
      <span className="toast-text">{toast.text}</span>
      {toast.undo && (
        <Button kind="quiet" onPress={() => undoToast(toast.id)}>
          Undo
        </Button>
      )}
      <Button
        kind="quiet"
        aria-label="Dismiss"
        icon={<X className="icon" aria-hidden="true" />}
        onPress={() => dismissToast(toast.id)}
      />
    </div>
  )
}
