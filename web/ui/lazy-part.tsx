import { createAtom, useSelector } from '@tanstack/react-store'
import { type ComponentType, type ReactNode, useEffect } from 'react'
import { t } from '../text/t.ts'
import { showToast } from './toasts.ts'

type Closable = { onClose: () => void }

/** A dialog or menu. Its code is loaded when it opens, or earlier if `load` is called. */
export type LazyPart<Props> = ((props: Props) => ReactNode) & { load: () => Promise<void> }

/**
 * A value whose code is loaded when it is first needed, or earlier if `load` is called. Until then, `use` returns
 * undefined.
 */
type LazyValue<Value> = { load: () => Promise<void>; use: () => Value | undefined }

const parts: { load: () => Promise<void> }[] = []

/** Loads the code of all dialogs, menus and other parts, so that they open immediately. */
export const loadAllParts = (): Promise<unknown> => Promise.all(parts.map((part) => part.load()))

/** Returns a value whose code is loaded later. After a failure, the next call of `load` tries again. */
export function lazyValue<Value>(load: () => Promise<Value>): LazyValue<Value> {
  const loaded = createAtom<{ value: Value } | undefined>(undefined)
  let loading: Promise<void> | undefined

  function start(): Promise<void> {
    loading ??= load().then(
      (value) => loaded.set({ value }),
      (error: unknown) => {
        loading = undefined
        throw error
      },
    )
    return loading
  }

  const lazy = { load: start, use: () => useSelector(loaded)?.value }
  parts.push(lazy)
  return lazy
}

/**
 * Returns a component for content that a page does not need immediately. The component shows nothing until its code is
 * loaded.
 */
export function lazyExtra<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const lazy = lazyValue(load)
  return function Extra(props: Props): ReactNode {
    const Loaded = lazy.use()
    useEffect(() => {
      // After a failure, the next component that is shown tries again.
      lazy.load().catch(() => {})
    }, [])
    return Loaded && <Loaded {...props} />
  }
}

/**
 * Returns a component that shows nothing while its code is loaded. If loading fails, the component closes; unless
 * `isHint`, a toast reports the failure.
 */
export function lazyPart<Props extends Closable>(
  load: () => Promise<ComponentType<Props>>,
  { isHint = false } = {},
): LazyPart<Props> {
  const lazy = lazyValue(load)

  function Part(props: Props): ReactNode {
    const Loaded = lazy.use()
    const { onClose } = props
    useEffect(() => {
      if (Loaded !== undefined) return
      lazy.load().catch(() => {
        if (!isHint) showToast(t('The server didn’t respond. Check your connection, and try again.'), { kind: 'error' })
        onClose()
      })
    }, [Loaded, onClose])
    return Loaded && <Loaded {...props} />
  }

  return Object.assign(Part, { load: lazy.load })
}
