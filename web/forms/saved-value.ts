import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { toAppError } from '../store/app-error.ts'

/** The state of the last change of a setting. */
export type SaveState = 'idle' | 'saving' | 'saved' | 'changed elsewhere'

/**
 * Returns true if the value has changed while it is on the screen, and its new value is not `sent`, the last value that
 * this page has sent.
 */
function useChangedElsewhere(value: unknown, sent: unknown): boolean {
  const [seen, setSeen] = useState(value)
  const [isChanged, setChanged] = useState(false)
  if (isSameValue(value, seen)) return isChanged
  setSeen(value)
  setChanged(!isSameValue(value, sent))
  return !isSameValue(value, sent)
}

const isSameValue = (one: unknown, other: unknown): boolean =>
  Object.is(one, other) || JSON.stringify(one) === JSON.stringify(other)

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

/**
 * Saves a value that events keep up to date, and undoes the last change. Changes with the same `scope` are saved in
 * order, so that the last one wins. `shown` is the value that is being saved, or else the current value. `reset`
 * forgets the outcome of the last change.
 */
export function useSavedValue<Value>(
  value: Value,
  save: (to: Value) => Promise<unknown>,
  { scope, onSaved }: { scope?: string; onSaved?: (saved: Value) => void } = {},
) {
  // The mutation forgets this value together with its outcome, but the event of the change may come later.
  const [sent, setSent] = useState<Value>()
  const { mutate, isPending, isSuccess, error, variables, reset } = useMutation({
    mutationFn: save,
    ...(scope !== undefined && { scope: { id: scope } }),
    onMutate: (to: Value) => setSent(() => to),
    onSuccess: (_, saved) => onSaved?.(saved),
  })
  const isChangedElsewhere = useChangedElsewhere(value, sent)
  const state: SaveState = isPending
    ? 'saving'
    : isChangedElsewhere
      ? 'changed elsewhere'
      : isSuccess
        ? 'saved'
        : 'idle'
  const { change, undo } = useLastChange(value, state, mutate)
  return {
    change,
    undo,
    state,
    reset,
    shown: isPending ? (variables as Value) : value,
    error: error === null ? null : toAppError(error).message,
  }
}
