import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { call } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import { queryClient } from '../../../store/query-client.ts'
import { CheckboxField } from '../../../ui/fields/checkbox-field.tsx'
import { SelectField } from '../../../ui/fields/select-field.tsx'
import { SaveStatus } from '../../settings/save-status.tsx'
import type { DefaultSetting } from './default-sections.ts'
import { DEFAULTS_KEY, type Defaults } from './defaults.ts'

/** A default setting that saves on change. */
export function DefaultField({ field, value }: { field: DefaultSetting; value: Defaults[keyof Defaults] }): ReactNode {
  const { name, label, options } = field
  const { mutate, isPending, isSuccess, error, variables } = useMutation({
    mutationFn: (given: unknown) => call('PATCH /realm/user_settings_defaults', { [name]: given }),
    // In order, so that the last change wins.
    scope: { id: `default ${name}` },
    onSuccess: (_, given) =>
      queryClient.setQueryData<Defaults>(DEFAULTS_KEY, (known) => known && { ...known, [name]: given }),
  })
  const shown = isPending ? variables : value
  const problem = error === null ? null : toAppError(error).message
  return (
    <div className="saved-field">
      {options === undefined ? (
        <>
          <CheckboxField isSelected={shown === true} onChange={mutate}>
            {label}
          </CheckboxField>
          {problem !== null && (
            <p className="field-error" role="alert">
              {problem}
            </p>
          )}
        </>
      ) : (
        <SelectField
          label={label}
          value={shown as string | number}
          options={options}
          error={problem}
          onChange={mutate}
        />
      )}
      <SaveStatus state={isPending ? 'saving' : isSuccess ? 'saved' : 'still'} />
    </div>
  )
}
