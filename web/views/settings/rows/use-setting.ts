import { type OwnSettings, useOwnSettings } from '../../../store/own-settings.ts'
import type { SaveState } from '../save-state.ts'
import { type SettingUndo, useLastChange } from './use-last-change.ts'

type Setting<Value> = {
  readonly value: Value
  readonly change: (value: Value) => void
  readonly state: SaveState
  readonly error: string | null
  readonly undo: SettingUndo | null
}

/** Returns a setting of the user, with functions that change it and undo the last change. */
export function useSetting<Name extends keyof OwnSettings>(name: Name): Setting<OwnSettings[Name]> {
  const [settings, save, { state, error }] = useOwnSettings({ showsErrors: true })
  const value = settings[name]
  const { change, isCurrent, undo } = useLastChange(value, state, (to) => save({ [name]: to } as Partial<OwnSettings>))
  return {
    value,
    change: (to) => to !== value && change(to),
    // If the value was changed elsewhere, the row must not say that it was saved here.
    state: isCurrent || undo !== null || state === 'saving' ? state : 'idle',
    error,
    undo,
  }
}
