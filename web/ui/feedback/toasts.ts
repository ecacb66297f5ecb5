import { useSyncExternalStore } from 'react'

export type Toast = {
  readonly id: number
  readonly text: string
  readonly kind: 'plain' | 'error'
  /** What takes back what the toast tells of. */
  readonly undo?: () => void
  /** A link to what the toast tells of; `open` leads there without loading the page anew. */
  readonly link?: { readonly text: string; readonly href: string; readonly open: () => void }
  /** What happens once it can no longer be undone: the toast is gone, or the page is left. */
  readonly settle?: () => Promise<void>
}

/** How long a toast stays while nobody looks at it more closely, in milliseconds. */
export const TOAST_DURATION = 10_000

let toasts: readonly Toast[] = []
let lastId = 0
const settling = new Set<Promise<void>>()
const listeners = new Set<() => void>()

function change(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

/** Tells in a corner what has happened; at most three at a time. */
export function showToast(
  text: string,
  options: Pick<Toast, 'undo' | 'link' | 'settle'> & { kind?: Toast['kind'] } = {},
): void {
  lastId += 1
  const all = [...toasts, { kind: 'plain' as const, ...options, id: lastId, text }]
  for (const one of all.slice(0, -3)) settle(one)
  change(all.slice(-3))
}

export function dismissToast(id: number): void {
  const gone = toasts.find((one) => one.id === id)
  change(toasts.filter((one) => one.id !== id))
  if (gone !== undefined) settle(gone)
}

function settle(toast: Toast): void {
  const work = toast.settle?.()
  if (work === undefined) return
  settling.add(work)
  void work.finally(() => settling.delete(work))
}

/** Has everything happen at once that waits for its toast to be gone; resolves when it has. */
export async function flushToasts(): Promise<void> {
  const waiting = toasts
  change([])
  for (const one of waiting) settle(one)
  await Promise.all(settling)
}

/** Takes back what the toast tells of. */
export function undoToast(id: number): void {
  const gone = toasts.find((one) => one.id === id)
  change(toasts.filter((one) => one.id !== id))
  gone?.undo?.()
}

addEventListener('pagehide', () => void flushToasts())

export function useToasts(): readonly Toast[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => toasts,
  )
}
