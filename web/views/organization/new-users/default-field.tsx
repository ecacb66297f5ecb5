import type { ReactNode } from 'react'
import { call } from '../../../api/call.ts'
import { type Defaults, setDefault } from '../../../store/realm-queries.ts'
import { SelectField } from '../../../ui/fields/select-field.tsx'
import { Check } from '../../settings/rows/setting-field.tsx'
import { SettingRow } from '../../settings/rows/setting-row.tsx'
import { useSavedValue } from '../../settings/use-saved-value.ts'
import type { DefaultSetting } from './default-sections.ts'

type Value = Defaults[keyof Defaults]

/** A default setting that saves on change. */
export function DefaultField({ field, value }: { field: DefaultSetting; value: Value }): ReactNode {
  const { name, label, options } = field
  const { change, undo, state, shown, error } = useSavedValue(
    value,
    (given) => call('PATCH /realm/user_settings_defaults', { [name]: given }),
    { scope: `default ${name}`, onSaved: (saved) => setDefault(name, saved) },
  )
  return (
    <SettingRow id={name} {...{ label, state, undo }} error={options === undefined ? error : null}>
      {options === undefined ? (
        <Check label={label} isSelected={shown === true} onChange={change} />
      ) : (
        <SelectField label={label} value={shown as string | number} options={options} error={error} onChange={change} />
      )}
    </SettingRow>
  )
}
