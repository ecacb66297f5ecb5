import { useState } from 'react'
import { type OwnSettings, type SaveState, useOwnSettings } from '../../../store/own-settings.ts'
import type { SettingUndo } from './setting-row.tsx'

type Setting<Value> = {
  readonly value: Value
  readonly change: (value: Value) => void
  readonly state: SaveState
  readonly error: string | null
  /** Null if there is nothing to undo: the setting was not changed here, or it has changed elsewhere since. */
  readonly undo: SettingUndo | null
}

/** Returns a setting of the user that saves itself. */
export function useSetting<Name extends keyof OwnSettings>(name: Name): Setting<OwnSettings[Name]> {
  type Value = OwnSettings[Name]
  const [settings, save, { state, error }] = useOwnSettings({ showsErrors: true })
  const [last, setLast] = useState<{ from: Value; to: Value; isUndone: boolean } | null>(null)
  const value = settings[name]

  function set(to: Value, isUndone: boolean) {
    setLast({ from: value, to, isUndone })
    save({ [name]: to } as Partial<OwnSettings>)
  }

  const isCurrent = last !== null && last.to === value
  return {
    value,
    change: (to) => to !== value && set(to, false),
    // A value that was changed elsewhere was not saved here.
    state: isCurrent || state === 'saving' ? state : 'still',
    error,
    undo: isCurrent && state === 'saved' ? { isRedo: last.isUndone, run: () => set(last.from, !last.isUndone) } : null,
  }
}
