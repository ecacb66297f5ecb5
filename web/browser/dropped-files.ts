import { createAtom } from '@tanstack/react-store'
import { useEffect, useRef } from 'react'

type Taker = (files: readonly File[]) => void

const handlers = createAtom<readonly Taker[]>([])

/** Passes files that are dropped anywhere on the page to the component while it is mounted. */
export function useDroppedFiles(take: Taker): void {
  const latest = useRef(take)
  useEffect(() => {
    latest.current = take
  })
  useEffect(() => {
    const handler: Taker = (files) => latest.current(files)
    handlers.set((known) => [...known, handler])
    return () => handlers.set((known) => known.filter((one) => one !== handler))
  }, [])
}

/**
 * Prevents the browser from opening a dropped file in place of the page, and passes it to the component that takes
 * files. Ignores files dropped on a dialog, and pictures dragged from the page itself. Returns a function that stops
 * this.
 */
export function preventStrayDrops(): () => void {
  const end = new AbortController()
  const { signal } = end
  let isFromPage = false
  const takerFor = ({ target }: DragEvent) =>
    isFromPage || (target instanceof Element && target.closest('.overlay') !== null) ? undefined : handlers.get().at(-1)

  addEventListener('dragstart', () => (isFromPage = true), { signal })
  addEventListener('dragend', () => (isFromPage = false), { signal })
  addEventListener(
    'dragover',
    (event) => {
      if (event.defaultPrevented || !hasFiles(event)) return
      event.preventDefault()
      event.dataTransfer!.dropEffect = takerFor(event) === undefined ? 'none' : 'copy'
    },
    { signal },
  )
  addEventListener(
    'drop',
    (event) => {
      if (event.defaultPrevented || !hasFiles(event)) return
      event.preventDefault()
      takerFor(event)?.([...event.dataTransfer!.files])
    },
    { signal },
  )
  return () => end.abort()
}

const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') ?? false
