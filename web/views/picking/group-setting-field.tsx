import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { toAppError } from '../../store/app-error.ts'
import { type Organization, useOrganization } from '../../store/organization.ts'
import type { GroupSetting } from '../../store/people/membership.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { SelectField } from '../../ui/fields/select-field.tsx'
import { SavedLine } from '../settings/saved-line.tsx'
import './group-setting-field.css'
import { Picker } from './picker.tsx'
import { addressesOf, type Choice } from './picks.ts'
import { CHOSEN, toChoices, toSetting, toValue, type Value, valueOptions } from './setting-values.ts'

type Rule = Organization['server_supported_permission_settings']['stream'][string]

/** Who may do a thing: a group is saved when it is chosen, people one by one when one says so. */
export function GroupSettingField(props: {
  label: string
  hint?: string | undefined
  present: GroupSetting
  rule: Rule
  save: (setting: GroupSetting) => Promise<unknown>
}): ReactNode {
  const { label, hint, present, rule } = props
  const organization = useOrganization()
  const [choices, choose] = useState<readonly Choice[] | null>(null)
  const [complaint, setComplaint] = useState<string | null>(null)
  const { mutate, isPending, isSuccess, error, reset } = useMutation({
    mutationFn: props.save,
    onSuccess: () => choose(null),
  })
  const isChosen = choices !== null || typeof present !== 'number'
  const shown = choices ?? toChoices(organization, present)

  function edit(next: readonly Choice[] | null) {
    reset()
    setComplaint(null)
    choose(next)
  }

  function take(value: Value) {
    edit(value === CHOSEN ? toChoices(organization, present) : null)
    if (value !== CHOSEN && value !== toValue(present)) mutate(Number(value.slice('group:'.length)))
  }

  function save() {
    const strangers = addressesOf(shown)
    if (strangers.length > 0) setComplaint(`Take out who is nobody here: ${strangers.join(', ')}`)
    else mutate(toSetting(shown))
  }

  return (
    <div className="permission">
      <SelectField
        label={label}
        value={isChosen ? CHOSEN : toValue(present)}
        options={valueOptions(organization, rule)}
        description={hint}
        error={complaint ?? (error === null ? null : toAppError(error).message)}
        onChange={take}
      />
      {isChosen && (
        <div className="permission-chosen">
          <Picker
            label={`People and groups: ${label}`}
            offered={{ groups: 'named', channels: false }}
            picks={shown}
            onChange={edit}
          />
          {choices !== null && (
            <div className="row">
              <Button kind="primary" isPending={isPending} onPress={save}>
                Save
              </Button>
              <Button onPress={() => edit(null)}>Cancel</Button>
            </div>
          )}
        </div>
      )}
      <SavedLine state={isPending ? 'saving' : isSuccess ? 'saved' : 'still'} />
    </div>
  )
}
