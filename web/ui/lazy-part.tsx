import { type ComponentType, type ReactNode, useEffect } from 'react'
import { t } from '../text/t.ts'
import { createStore } from './create-store.ts'
import { showToast } from './feedback/toasts.ts'

type Closable = { onClose: () => void }

/** A dialog or menu whose code is loaded when it opens, or earlier by `load`. */
export type LazyPart<Props> = ((props: Props) => ReactNode) & { load: () => Promise<void> }

const parts: { load: () => Promise<void> }[] = []

/** Loads the code of all dialogs and menus, so that they open immediately. */
export const loadAllParts = (): Promise<unknown> => Promise.all(parts.map((part) => part.load()))

/** Returns a component that shows nothing while it loads, and closes if loading fails, with a toast unless `isHint`. */
export function lazyPart<Props extends Closable>(
  load: () => Promise<ComponentType<Props>>,
  { isHint = false } = {},
): LazyPart<Props> {
  const loaded = createStore<ComponentType<Props> | undefined>(undefined)
  let loading: Promise<void> | undefined

  function start(): Promise<void> {
    loading ??= load().then(
      (part) => loaded.set(part),
      (error: unknown) => {
        loading = undefined
        throw error
      },
    )
    return loading
  }

  function Part(props: Props): ReactNode {
    const Loaded = loaded.use()
    const { onClose } = props
    useEffect(() => {
      if (Loaded !== undefined) return
      start().catch(() => {
        if (!isHint) showToast(t('The server didn’t respond. Check your connection, and try again.'), { kind: 'error' })
        onClose()
      })
    }, [Loaded, onClose])
    return Loaded && <Loaded {...props} />
  }

  const part = Object.assign(Part, { load: start })
  parts.push(part)
  return part
}
