import { createAtom, useSelector } from '@tanstack/react-store'

export type Toast = {
  readonly id: number
  readonly text: string
  readonly kind: 'plain' | 'error'
  /** Undoes the change that the toast reports. */
  readonly undo?: () => void
  /** A link to the subject of the toast. `open` goes there without reloading the page. */
  readonly link?: { readonly text: string; readonly href: string; readonly open: () => void }
  /** Runs when the change can no longer be undone, because the toast has closed or the user leaves the page. */
  readonly settle?: () => Promise<void>
}

const toasts = createAtom<readonly Toast[]>([])
const lastId = createAtom(0)
const settling = new Set<Promise<void>>()

/** The maximum number of toasts that are shown at a time. */
const MAX_SHOWN = 2

/**
 * Shows a toast at the top of the page. It replaces a toast with the same text, unless that one can be undone, and the
 * oldest toast if there are more than `MAX_SHOWN`.
 */
export function showToast(
  text: string,
  options: Pick<Toast, 'undo' | 'link' | 'settle'> & { kind?: Toast['kind'] } = {},
): void {
  lastId.set((id) => id + 1)
  const isRepeated = (one: Toast) => one.text === text && one.undo === undefined
  const [repeated, others] = [toasts.get().filter(isRepeated), toasts.get().filter((one) => !isRepeated(one))]
  const all = [...others, { kind: 'plain' as const, ...options, id: lastId.get(), text }]
  for (const one of [...repeated, ...all.slice(0, -MAX_SHOWN)]) settle(one)
  toasts.set(all.slice(-MAX_SHOWN))
}

export function dismissToast(id: number): void {
  const gone = toasts.get().find((one) => one.id === id)
  toasts.set(toasts.get().filter((one) => one.id !== id))
  if (gone !== undefined) settle(gone)
}

function settle(toast: Toast): void {
  const work = toast.settle?.()
  if (work === undefined) return
  settling.add(work)
  void work.finally(() => settling.delete(work))
}

/** Closes all toasts and runs their pending actions. Resolves when the actions have ended. */
export async function flushToasts(): Promise<void> {
  const waiting = toasts.get()
  toasts.set([])
  for (const one of waiting) settle(one)
  await Promise.all(settling)
}

/** Undoes the change that the toast reports, and closes the toast. */
export function undoToast(id: number): void {
  const gone = toasts.get().find((one) => one.id === id)
  toasts.set(toasts.get().filter((one) => one.id !== id))
  gone?.undo?.()
}

addEventListener('pagehide', () => void flushToasts())

export const useToasts = (): readonly Toast[] => useSelector(toasts)
