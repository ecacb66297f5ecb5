import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import { toAppError } from '../store/app-error.ts'
import { loadPart } from '../ui/load-part.ts'
import { showToast } from '../ui/toasts.ts'
import type { Part, PartProps } from './dialogs/part.ts'

type Parts = Readonly<Record<Part, ComponentType<PartProps>>>

let loaded: Parts | undefined

/** Loads all dialogs and forms; throws `NotLoadedError`. */
export async function loadMessageParts(): Promise<Parts> {
  loaded ??= await loadPart(async () => (await import('./dialogs/all-parts.tsx')).ALL_PARTS)
  return loaded
}

/** Shows a dialog or form after it has loaded. Calls `onClose` if loading fails. */
export function OpenedPart({ part, ...props }: PartProps & { part: Part }): ReactNode {
  const [parts, setParts] = useState(loaded)
  const { onClose } = props
  useEffect(() => {
    if (parts !== undefined) return
    loadMessageParts().then(setParts, (error: unknown) => {
      showToast(toAppError(error).message, { kind: 'error' })
      onClose()
    })
  }, [parts, onClose])

  if (parts === undefined) return null
  const Shown = parts[part]
  return <Shown {...props} />
}
