import { createAtom, useSelector } from '@tanstack/react-store'
import { type ComponentType, type ReactNode, useEffect } from 'react'
import { toAppError } from '../store/app-error.ts'
import { loadPart } from '../ui/load-part.ts'
import { showToast } from '../ui/toasts.ts'
import type { Part, PartProps } from './dialogs/part.ts'

type Parts = Readonly<Record<Part, ComponentType<PartProps>>>

const loaded = createAtom<Parts | undefined>(undefined)

/** Loads all dialogs and forms; throws `NotLoadedError`. */
export async function loadMessageParts(): Promise<Parts> {
  const parts = loaded.get() ?? (await loadPart(async () => (await import('./dialogs/all-parts.tsx')).ALL_PARTS))
  loaded.set(parts)
  return parts
}

/** Shows a dialog or form after it has loaded. Calls `onClose` if loading fails. */
export function OpenedPart({ part, ...props }: PartProps & { part: Part }): ReactNode {
  const parts = useSelector(loaded)
  const { onClose } = props
  useEffect(() => {
    if (parts !== undefined) return
    loadMessageParts().catch((error: unknown) => {
      showToast(toAppError(error).message, { kind: 'error' })
      onClose()
    })
  }, [parts, onClose])

  if (parts === undefined) return null
  const Shown = parts[part]
  return <Shown {...props} />
}
