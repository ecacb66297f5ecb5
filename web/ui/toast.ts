import { useSyncExternalStore } from 'react'

export type Toast = {
  readonly id: number
  readonly text: string
  readonly kind: 'plain' | 'error'
  /** What takes back what the toast tells of. */
  readonly undo?: () => void
}

/** How long a toast stays while nobody looks at it more closely, in milliseconds. */
export const TOAST_LIFE = 10_000

let toasts: readonly Toast[] = []
let lastId = 0
const listeners = new Set<() => void>()

function change(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

/** Tells in a corner what has happened; at most three at a time. */
export function toast(text: string, options: { kind?: Toast['kind']; undo?: () => void } = {}): void {
  lastId += 1
  const told = { id: lastId, text, kind: options.kind ?? 'plain', ...(options.undo && { undo: options.undo }) }
  change([...toasts, told].slice(-3))
}

export function dismissToast(id: number): void {
  change(toasts.filter((one) => one.id !== id))
}

export function useToasts(): readonly Toast[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => toasts,
  )
}
