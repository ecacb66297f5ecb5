import { type ReactNode, useId } from 'react'
import { type SaveState, type SettingUndo, useLastChange } from '../forms/saved-value.ts'
import { SettingRow } from '../forms/setting-row.tsx'
import * as css from '../forms/settings.module.css'
import { type OwnSettings, useOwnSettings } from '../store/own-settings.ts'
import { CheckboxField } from '../ui/field.tsx'
import { SelectField } from '../ui/select-field.tsx'
import { PERSONAL_SETTINGS, type SettingText } from './personal-settings.ts'

type Setting<Value> = {
  readonly value: Value
  readonly change: (value: Value) => void
  readonly state: SaveState
  readonly error: string | null
  readonly undo: SettingUndo | null
}

/** Returns a setting of the user, with functions that change it and undo the last change. */
function useSetting<Name extends keyof OwnSettings>(name: Name): Setting<OwnSettings[Name]> {
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

/** The control of a personal setting: a choice if the catalogue lists its values, otherwise a check box. */
export function SettingField({ name }: { name: keyof typeof PERSONAL_SETTINGS }): ReactNode {
  const { value, change, ...last } = useSetting(name)
  const text: SettingText = PERSONAL_SETTINGS[name]
  const { label, about, options } = text
  return (
    <SettingRow id={name} label={label} {...last}>
      {options === undefined ? (
        <Check label={label} about={about} isSelected={value === true} onChange={change as (isOn: boolean) => void} />
      ) : (
        <SelectField
          label={label}
          value={String(value)}
          options={withCurrent(text, value)}
          {...(about !== undefined && { description: about })}
          onChange={(id) => {
            const chosen = options.find((option) => String(option.value) === id)
            if (chosen !== undefined) change(chosen.value as OwnSettings[typeof name])
          }}
        />
      )}
    </SettingRow>
  )
}

/** A check box with its description below. */
export function Check(props: {
  label: string
  about?: string | undefined
  isSelected: boolean
  isDisabled?: boolean
  onChange: (isOn: boolean) => void
}): ReactNode {
  const { label, about, ...box } = props
  const id = useId()
  return (
    <>
      <CheckboxField {...box} {...(about !== undefined && { 'aria-describedby': id })}>
        {label}
      </CheckboxField>
      {about !== undefined && (
        <p id={id} className={css.settingAbout}>
          {about}
        </p>
      )}
    </>
  )
}

/** Returns the options. Adds the current value if it is not among them, because another client has set it. */
function withCurrent({ options = [], describe }: SettingText, value: unknown): { id: string; label: string }[] {
  const all = options.map((option) => ({ id: String(option.value), label: option.label }))
  return all.some(({ id }) => id === String(value))
    ? all
    : [{ id: String(value), label: describe?.(Number(value)) ?? String(value) }, ...all]
}
