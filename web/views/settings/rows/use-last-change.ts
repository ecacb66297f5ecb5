import { useState } from 'react'
import type { SaveState } from '../save-state.ts'
import { isSameValue } from '../use-changed-elsewhere.ts'

/** Reverts the last change of a setting, or makes it again. */
export type SettingUndo = { readonly isRedo: boolean; readonly run: () => void }

type LastChange<Value> = {
  readonly change: (to: Value) => void
  /** True if the setting has the value that was chosen here last. */
  readonly isCurrent: boolean
  /** Null if there is nothing to undo: the setting was not changed here, or it has changed elsewhere since. */
  readonly undo: (SettingUndo & { readonly to: Value }) | null
}

/**
 * Saves changes to a setting, and undoes the last change. The undo button stays while the undo is being saved, so that
 * it keeps the focus.
 */
export function useLastChange<Value>(value: Value, state: SaveState, save: (to: Value) => void): LastChange<Value> {
  const [last, setLast] = useState<{ from: Value; to: Value; isUndone: boolean; isByButton: boolean } | null>(null)

  // The event with the new value may come after the response.
  const isAwaited = state === 'saved' && last?.isByButton === true && isSameValue(last.from, value)
  const isPending = state === 'saving' || isAwaited

  function set(to: Value, how: { isUndone: boolean; isByButton: boolean }) {
    setLast({ from: last !== null && isPending ? last.to : value, to, ...how })
    save(to)
  }

  const isCurrent = last !== null && isSameValue(last.to, value)
  const isShown = state === 'saving' ? last?.isByButton : isAwaited || (state === 'saved' && isCurrent)
  return {
    change: (to) => set(to, { isUndone: false, isByButton: false }),
    isCurrent,
    undo:
      last === null || !isShown || isSameValue(last.from, last.to)
        ? null
        : {
            isRedo: last.isUndone,
            to: last.from,
            run: () => state === 'saved' && set(last.from, { isUndone: !last.isUndone, isByButton: true }),
          },
  }
}
