import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { toAppError } from '../../store/app-error.ts'
import { useLastChange } from './rows/use-last-change.ts'
import type { SaveState } from './save-state.ts'
import { useChangedElsewhere } from './use-changed-elsewhere.ts'

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
