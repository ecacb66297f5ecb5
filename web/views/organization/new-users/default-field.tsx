import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { call } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import { type Defaults, setDefault } from '../../../store/realm-queries.ts'
import { SelectField } from '../../../ui/fields/select-field.tsx'
import { Check } from '../../settings/rows/setting-field.tsx'
import { SettingRow } from '../../settings/rows/setting-row.tsx'
import { useLastChange } from '../../settings/rows/use-last-change.ts'
import { useChangedElsewhere } from '../../settings/use-changed-elsewhere.ts'
import type { DefaultSetting } from './default-sections.ts'

type Value = Defaults[keyof Defaults]

/** A default setting that saves on change. */
export function DefaultField({ field, value }: { field: DefaultSetting; value: Value }): ReactNode {
  const { name, label, options } = field
  const { mutate, isPending, isSuccess, error, variables } = useMutation({
    mutationFn: (given: Value) => call('PATCH /realm/user_settings_defaults', { [name]: given }),
    // In order, so that the last change wins.
    scope: { id: `default ${name}` },
    onSuccess: (_, given) => setDefault(name, given),
  })
  const isChangedElsewhere = useChangedElsewhere(value, variables)
  const state = isPending ? 'saving' : isChangedElsewhere ? 'changed elsewhere' : isSuccess ? 'saved' : 'still'
  const { change, undo } = useLastChange(value, state, mutate)
  const shown = isPending ? variables : value
  const problem = error === null ? null : toAppError(error).message
  return (
    <SettingRow id={name} {...{ label, state, undo }} error={options === undefined ? problem : null}>
      {options === undefined ? (
        <Check label={label} isSelected={shown === true} onChange={change} />
      ) : (
        <SelectField
          label={label}
          value={shown as string | number}
          options={options}
          error={problem}
          onChange={change}
        />
      )}
    </SettingRow>
  )
}
